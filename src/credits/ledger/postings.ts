import type { CreditsEvent } from '../credits.ts';

/** The five accounts of double entry. */
export type Bucket = 'issuer' | 'available' | 'reserved' | 'spent' | 'expired';

/** Each of them at 0. */
export const emptyBuckets = (): Record<Bucket, number> => ({
  issuer: 0,
  available: 0,
  reserved: 0,
  spent: 0,
  expired: 0,
});

export type Posting = { readonly bucket: Bucket; readonly amount: number };

/** The postings of an event, from one bucket to another. Their amounts sum to zero. */
export const postingsOf = ({ type, data }: CreditsEvent): readonly Posting[] => {
  switch (type) {
    case 'CreditsGranted':
    case 'BalanceCorrected':
      return moved('issuer', 'available', data.amount);
    case 'CreditsCharged':
      return moved('available', 'spent', data.amount);
    case 'CreditsReserved':
      return moved('available', 'reserved', data.amount);
    case 'ReservationSettled':
      return moved('reserved', 'spent', data.amount);
    case 'ReservationReleased':
      return moved('reserved', 'available', data.amount);
    case 'ChargeRefunded':
      return moved('spent', 'available', data.amount);
    case 'CreditsExpired':
      return moved('available', 'expired', data.amount);
    case 'BookOpened':
    case 'BookClosed':
    case 'PlanAssigned':
    case 'BudgetReached':
    case 'OperationServed':
    case 'OperationFailed':
      return [];
  }
};

/**
 * What an entry adds to the credits that can be spent, or takes from them; 0 for one that only moves reserved credits.
 * Null: it posts nothing, or its type is of a newer version.
 */
export const availableChangeOf = ({
  type,
  data,
}: {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}): number | null => {
  const postings: readonly Posting[] | undefined = postingsOf({ type, data } as CreditsEvent);
  if (postings === undefined || postings.length === 0) return null;
  return postings.reduce((sum, { bucket, amount }) => (bucket === 'available' ? sum + amount : sum), 0);
};

const moved = (from: Bucket, to: Bucket, amount: number): readonly Posting[] => [
  { bucket: from, amount: -amount },
  { bucket: to, amount },
];
