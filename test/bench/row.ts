/**
 * What a line must reach: its value at least, its value at most, its ratio at least, or its ratio at most. `ratio` is
 * against the baseline that was measured in the same run, in turns with it.
 */
export type GoalKind = 'at least' | 'at most' | 'ratio' | 'ratio at most';

/** One line of a benchmark. A ratio is against `baseline`, measured in the same run; a goal is what the line must reach. */
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

/** Whether a line reaches its goal; null when it has none. */
export const isMet = ({ value, ratio, goal, goalKind = 'at least' }: Row): boolean | null => {
  if (goal === undefined) return null;
  if (goalKind === 'ratio') return (ratio ?? 0) >= goal;
  if (goalKind === 'ratio at most') return (ratio ?? Number.POSITIVE_INFINITY) <= goal;
  return goalKind === 'at most' ? value <= goal : value >= goal;
};

/** The one in the middle. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Three significant digits, all digits of whole numbers above. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));

/** Measures both in turns, so that a busy machine slows both, and gives the medians of `rounds` of each. */
export const inTurns = async (
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
