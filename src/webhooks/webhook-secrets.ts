import type { SecretOf, Secrets } from './signature.ts';
import type { Signing } from './webhook.ts';

/** The secrets of an owner that sign at this time, newest first. */
export const secretsOf = (
  secretOf: SecretOf,
  ownerId: string,
  signing: Signing,
  now: Date,
): Secrets => {
  const { generation, previousUntil } = signing;
  const newest = secretOf(ownerId, generation);
  const overlaps = previousUntil !== null && now.toISOString() < previousUntil;
  return overlaps ? [newest, secretOf(ownerId, generation - 1)] : [newest];
};
