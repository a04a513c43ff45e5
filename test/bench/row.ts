/** One line of a benchmark. A ratio is against `baseline`, measured in the same run; a goal is what the line must reach. */
export type Row = {
  readonly case: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline?: number;
  readonly ratio?: number;
  readonly goal?: number;
};
