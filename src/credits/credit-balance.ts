import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type AuthorizationSpend, uncountForAuthorization } from './authorization-spend.ts';
import { type KeySpend, type RecentSpending, uncountRecent } from './key-spend.ts';

/** Why credits were granted. */
export const grantKind = z
  .enum(['plan', 'operator', 'refund', 'postpaid'])
  .meta({
    id: 'GrantKind',
    description:
      '`plan`: credits of the plan for one period. `operator`: granted by an operator. `refund`: refunded for a charge. `postpaid`: usage of an unlimited account beyond its grants, posted at the end of its period or plan, and invoiced',
  });

/** Credits that were granted together and expire together. */
export const grant = z
  .object({
    grantId: z.string(),
    kind: grantKind,
    remaining: z.int(),
    expiresAt: z.string().nullable().describe('null: never'),
  })
  .readonly()
  .meta({ id: 'Grant', description: 'credits granted together, which expire together' });

export type Grant = z.output<typeof grant>;

/** Credits set aside for a job. */
export const reservation = z
  .object({
    reservationId: z.string(),
    jobId: z.string(),
    keyId: z.string().nullable(),
    authorizationId: field.authorizationId.exactOptional(),
    costTag: field.costTag.exactOptional(),
    reservedOn: z
      .string()
      .exactOptional()
      .describe('the UTC day on which caps and budgets count it; absent: not known'),
    held: z.int(),
    from: z
      .array(grant)
      .readonly()
      .describe('the grants that the credits came from; a release returns the credits to them'),
  })
  .readonly()
  .meta({ id: 'Reservation', description: 'credits reserved for a job' });

export type Reservation = z.output<typeof reservation>;

/** To whom and what the cost of something is assigned, besides the key that asked. Absent members: none was named. */
export type Payer = Pick<Reservation, 'authorizationId' | 'costTag'>;

/** These members alone, and of them those that are there. */
export const payerOf = ({
  authorizationId,
  costTag,
}: { readonly [Member in keyof Payer]?: Payer[Member] | undefined }): Payer => ({
  ...(authorizationId === undefined ? {} : { authorizationId }),
  ...(costTag === undefined ? {} : { costTag }),
});

/** The part of a book's state that holds credits. `grants` is sorted by expiry, those that never expire last; they are spent in this order. */
export type CreditBalance = RecentSpending & {
  available: number;
  reserved: number;
  grants: Grant[];
  reservations: Map<string, Reservation>;
  /** Credits that each key has spent and reserved in this period; compared with its cap. */
  spentByKey: Map<string, number>;
  /** What each authorization has spent and reserved; compared with its budget. */
  spentByAuthorization: Map<string, AuthorizationSpend>;
  closesAt: string;
  /** Credits included in plans that this period has spent or reserved: the next plan of the period grants that much less. */
  planUse: number;
  /** All credits without expiry that the account ever received: those that are missing now were used. */
  lasting: number;
};

/** Adds to what a key has spent. */
export const countForKey = (state: CreditBalance, keyId: string | null, amount: number): void => {
  if (keyId !== null) state.spentByKey.set(keyId, (state.spentByKey.get(keyId) ?? 0) + amount);
};

/** Subtracts a refund from what a key has spent, never below 0: older events can name another key than the one that reserved. */
export const uncountForKey = (state: CreditBalance, keyId: string | null = null, amount: number): void => {
  const spent = keyId === null ? 0 : (state.spentByKey.get(keyId) ?? 0);
  if (spent > 0) countForKey(state, keyId, -Math.min(amount, spent));
};

/** Takes `amount` from the grants, soonest expiry first, and returns what was taken from each. An unlimited plan may overdraw. */
export const draw = (state: CreditBalance, amount: number): Grant[] => {
  state.available -= amount;
  const taken: Grant[] = [];
  let missing = amount;
  while (missing > 0) {
    const grant = state.grants[0];
    if (grant === undefined) break;
    const part = Math.min(missing, grant.remaining);
    taken.push({ ...grant, remaining: part });
    missing -= part;
    if (part === grant.remaining) state.grants.shift();
    else state.grants[0] = { ...grant, remaining: grant.remaining - part };
  }
  state.planUse += planPartOf(state, taken);
  return taken;
};

/** The credits among these grants that a plan includes for this period. */
const planPartOf = ({ closesAt }: Pick<CreditBalance, 'closesAt'>, some: readonly Grant[]): number =>
  sumOf(some.filter(({ kind, expiresAt }) => kind === 'plan' && expiresAt === closesAt));

/** Returns a part of a reservation to the balance, and to the cap of its key. */
export const release = <P extends CreditBalance>(state: P, reservationId: string, amount: number): P => {
  const { keyId = null, authorizationId, reservedOn } = state.reservations.get(reservationId) ?? {};
  countForKey(state, keyId, -amount);
  uncountRecent(state, keyId, amount, reservedOn);
  uncountForAuthorization(state, authorizationId, amount, reservedOn);
  const before = planPartOf(state, state.grants);
  receive(state, releaseHold(state, reservationId, amount));
  // Credits that covered an overdraft stay used.
  state.planUse -= planPartOf(state, state.grants) - before;
  return state;
};

/** The balance with which a book opens. */
export const carryOver = <P extends CreditBalance>(
  state: P,
  from: {
    readonly carriedGrants: readonly Grant[];
    readonly carriedReservations: readonly Reservation[];
    readonly carriedKeySpend: readonly { readonly keyId: string; readonly amount: number }[];
    readonly carriedKeyWindows?: readonly KeySpend[];
    readonly carriedAuthorizationSpend?: readonly AuthorizationSpend[];
    readonly carriedPlanUse?: number;
    readonly carriedLastingUse?: number;
  },
): P => {
  state.grants = from.carriedGrants.toSorted(byExpiry);
  state.available = sumOf(state.grants);
  state.planUse = from.carriedPlanUse ?? 0;
  for (const reservation of from.carriedReservations) {
    state.reservations.set(reservation.reservationId, reservation);
    state.reserved += reservation.held;
    countForKey(state, reservation.keyId, reservation.held);
  }
  for (const { keyId, amount } of from.carriedKeySpend) countForKey(state, keyId, amount);
  // Reservations are counted in it.
  for (const spend of from.carriedKeyWindows ?? []) state.recentByKey.set(spend.keyId, spend);
  for (const spend of from.carriedAuthorizationSpend ?? []) {
    state.spentByAuthorization.set(spend.authorizationId, spend);
  }
  state.lasting = lastingLeft(state) + (from.carriedLastingUse ?? 0);
  return state;
};

/** Adds grants to the balance. They cover an overdraft first. */
export const receive = <P extends CreditBalance>(state: P, grants: readonly Grant[]): P => {
  let owed = overdraftOf(state);
  for (const grant of grants) {
    const kept = Math.max(0, grant.remaining - owed);
    owed -= grant.remaining - kept;
    state.available += grant.remaining;
    if (kept > 0) add(state, { ...grant, remaining: kept });
  }
  return state;
};

/** Gives credits that never expire, or takes some as if they had never been there: a refund does not restore them. */
export const correct = <P extends CreditBalance>(state: P, grantId: string, amount: number): P => {
  if (amount > 0) {
    state.lasting += amount;
    return receive(state, [{ grantId, kind: 'operator', remaining: amount, expiresAt: null }]);
  }
  const taken = draw(state, -amount);
  state.lasting -= sumOf(taken) - expiring(taken);
  return state;
};

/** Credits that an unlimited plan has used beyond its grants. */
export const overdraftOf = ({ grants, available }: Pick<CreditBalance, 'grants' | 'available'>): number =>
  Math.max(0, sumOf(grants) - available);

/**
 * Used credits without expiry, and overdraft, less refunds. They are spent last, so a refund restores these first and
 * does not expire either.
 */
export const lastingUseOf = (state: CreditBalance): number =>
  Math.max(0, state.lasting + overdraftOf(state) - lastingLeft(state));

/** Credits without expiry that the account still has, reserved ones included. Reserved overdraft counts too: it returns without expiry. */
const lastingLeft = ({ grants, reservations }: Pick<CreditBalance, 'grants' | 'reservations'>): number => {
  const held = reservations.values().reduce((sum, one) => sum + one.held - expiring(one.from), 0);
  return sumOf(grants) - expiring(grants) + held;
};

const expiring = (grants: readonly Grant[]): number => sumOf(grants.filter(({ expiresAt }) => expiresAt !== null));

const add = (state: CreditBalance, grant: Grant): void => {
  const known = state.grants.findIndex((other) => isOneWith(other, grant));
  const same = state.grants[known];
  if (same !== undefined) {
    state.grants[known] = { ...same, remaining: same.remaining + grant.remaining };
    return;
  }
  state.grants.push(grant);
  state.grants.sort(byExpiry);
};

/** Refunds with the same expiry become one grant, so that the number of grants stays bounded. */
const isOneWith = (one: Grant, other: Grant): boolean =>
  one.grantId === other.grantId ||
  (one.kind === 'refund' && other.kind === 'refund' && one.expiresAt === other.expiresAt);

/** Takes `amount` out of a reservation, soonest expiry first, and returns the grants that it came from. */
export const releaseHold = (state: CreditBalance, reservationId: string, amount: number): Grant[] => {
  state.reserved -= amount;
  const reservation = state.reservations.get(reservationId);
  if (reservation === undefined) return [];
  const taken: Grant[] = [];
  const left: Grant[] = [];
  let missing = amount;
  for (const grant of reservation.from) {
    const part = Math.min(missing, grant.remaining);
    missing -= part;
    if (part > 0) taken.push({ ...grant, remaining: part });
    if (part < grant.remaining) left.push({ ...grant, remaining: grant.remaining - part });
  }
  const held = reservation.held - amount;
  if (held === 0) state.reservations.delete(reservationId);
  else state.reservations.set(reservationId, { ...reservation, held, from: left });
  // What an unlimited plan reserved beyond its grants has no grant to return to: it reduces the overdraft.
  if (missing > 0) taken.push({ grantId: reservationId, kind: 'postpaid', remaining: missing, expiresAt: null });
  return taken;
};

/** Credits that are set aside, by job; a retry adds a reservation to its job. */
export const reservedByJob = ({ reservations }: Pick<CreditBalance, 'reservations'>): ReadonlyMap<string, number> => {
  const reserved = new Map<string, number>();
  for (const { jobId, held } of reservations.values()) reserved.set(jobId, (reserved.get(jobId) ?? 0) + held);
  return reserved;
};

/** Removes expired credits from their grant. */
export const expire = <P extends CreditBalance>(state: P, grantId: string, amount: number): P => {
  state.available -= amount;
  const known = state.grants.findIndex((grant) => grant.grantId === grantId);
  const grant = state.grants[known];
  if (grant === undefined) return state;
  if (grant.remaining === amount) state.grants.splice(known, 1);
  else state.grants[known] = { ...grant, remaining: grant.remaining - amount };
  return state;
};

const sumOf = (grants: readonly Grant[]): number => grants.reduce((sum, { remaining }) => sum + remaining, 0);

/** Soonest expiry first, no expiry last; equal expiries by id, so that every fold has the same order. */
export const byExpiry = (a: Grant, b: Grant): number => {
  if (a.expiresAt === b.expiresAt) return a.grantId < b.grantId ? -1 : 1;
  if (a.expiresAt === null) return 1;
  if (b.expiresAt === null) return -1;
  return a.expiresAt < b.expiresAt ? -1 : 1;
};
