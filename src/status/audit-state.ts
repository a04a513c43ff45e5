/** What the audit of the ledgers last found. `ageS`: seconds since it last came to its end; null: never. */
export type AuditState = {
  readonly checkedAt: Date | null;
  readonly ageS: number | null;
  readonly mismatches: number;
  /** When the oldest of them was found. */
  readonly since: Date | null;
};
