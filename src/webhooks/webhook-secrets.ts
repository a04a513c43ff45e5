import type { SecretOf, Secrets } from './signature.ts';
import type { Signing } from './webhook.ts';

/** The secrets of an owner that sign now, the newest first; none for who has none. */
export const secretsOf = (
  secretOf: SecretOf,
  ownerId: string,
  signing: Signing | null,
  now: Date,
): Secrets => {
  if (signing === null) return [];
  const { generation, previousUntil } = signing;
  const newest = secretOf(ownerId, generation);
  const overlaps = previousUntil !== null && now.toISOString() < previousUntil;
  return overlaps ? [newest, secretOf(ownerId, generation - 1)] : [newest];
};
