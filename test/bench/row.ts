/**
 * The kind of a goal: a minimum or maximum of the value, or of the ratio. `ratio` is
 * against the baseline, measured alternately in the same run.
 */
export type GoalKind = 'at least' | 'at most' | 'ratio' | 'ratio at most';

/** One row of a benchmark. `ratio` is against `baseline`, measured in the same run; `goal` is the number to reach. */
export type Row = {
  readonly case: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline?: number;
  readonly ratio?: number;
  readonly goal?: number;
  /** 'at least' unless said otherwise. */
  readonly goalKind?: GoalKind;
};

/** Whether a row reaches its goal; null if it has none. */
export const isMet = ({ value, ratio, goal, goalKind = 'at least' }: Row): boolean | null => {
  if (goal === undefined) return null;
  if (goalKind === 'ratio') return (ratio ?? 0) >= goal;
  if (goalKind === 'ratio at most') return (ratio ?? Number.POSITIVE_INFINITY) <= goal;
  return goalKind === 'at most' ? value <= goal : value >= goal;
};

/** The median. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Rounds to three significant digits, larger numbers to integers. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));

/** Measures both alternately, so that a busy machine slows both, and returns the medians of `rounds` of each. */
export const alternately = async (
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ readonly value: number; readonly baseline: number; readonly ratio: number }> => {
  const values: number[] = [];
  const baselines: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    baselines.push(await theirs());
    values.push(await ours());
  }
  const [value, baseline] = [median(values), median(baselines)];
  return {
    value: rounded(value),
    baseline: rounded(baseline),
    ratio: rounded(median(values.map((each, at) => each / (baselines[at] ?? Number.NaN)))),
  };
};
