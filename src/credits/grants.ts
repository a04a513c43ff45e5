/**
 * `plan`: what the plan includes for one period. `operator`: given by hand. `refund`: given back for a charge.
 * `postpaid`: what an unlimited account used beyond its grants, booked when its period or plan ends; it is invoiced.
 */
export type GrantKind = 'plan' | 'operator' | 'refund' | 'postpaid';

/** Credits that came in together and go out together. `expiresAt` null: never. */
export type Grant = {
  readonly grantId: string;
  readonly kind: GrantKind;
  readonly remaining: number;
  readonly expiresAt: string | null;
};

/** Credits set aside for a job. `from`: the grants they came out of, so that a release gives them back. */
export type Reservation = {
  readonly reservationId: string;
  readonly jobId: string;
  readonly keyId: string | null;
  readonly held: number;
  readonly from: readonly Grant[];
};

/** The part of a book's state that grants move. `grants` is sorted by expiry, what never expires last: they are spent in this order. */
export type Purse = {
  available: number;
  reserved: number;
  grants: Grant[];
  reservations: Map<string, Reservation>;
  /** What each key has spent and reserved in this period: its cap counts from here. */
  spentByKey: Map<string, number>;
  closesAt: string;
  /** What was spent and is reserved in this period of that which its plans included: no further plan includes it again. */
  planUse: number;
  /** What came in of credits that never expire, since the account began: what is missing of it was used. */
  lasting: number;
};

/** A key spends (or, with a negative amount, gets back) credits. */
export const countedFor = (state: Purse, keyId: string | null, amount: number): void => {
  if (keyId !== null) state.spentByKey.set(keyId, (state.spentByKey.get(keyId) ?? 0) + amount);
};

/** A key gets back what it spent in this period, never more: earlier programs told items by other keys than had set them aside. */
export const givenBackTo = (state: Purse, keyId: string | null = null, amount: number): void => {
  const spent = keyId === null ? 0 : (state.spentByKey.get(keyId) ?? 0);
  if (spent > 0) countedFor(state, keyId, -Math.min(amount, spent));
};

/** Takes `amount` out of the grants, soonest expiry first, and says from which; an unlimited plan may go below. */
export const drawn = (state: Purse, amount: number): Grant[] => {
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

/** How much of these is what a plan included for this period. */
const planPartOf = ({ closesAt }: Pick<Purse, 'closesAt'>, some: readonly Grant[]): number =>
  sumOf(some.filter(({ kind, expiresAt }) => kind === 'plan' && expiresAt === closesAt));

/** A part of a reservation is free again, for its key too. */
export const released = <P extends Purse>(state: P, reservationId: string, amount: number): P => {
  const keyId = state.reservations.get(reservationId)?.keyId ?? null;
  countedFor(state, keyId, -amount);
  const before = planPartOf(state, state.grants);
  received(state, heldNoMore(state, reservationId, amount));
  // What made up for use beyond the grants stays used.
  state.planUse -= planPartOf(state, state.grants) - before;
  return state;
};

/** What a book takes over from the one before. */
export const carried = <P extends Purse>(
  state: P,
  from: {
    readonly carriedGrants: readonly Grant[];
    readonly carriedReservations: readonly Reservation[];
    readonly carriedKeySpend: readonly { readonly keyId: string; readonly amount: number }[];
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
    countedFor(state, reservation.keyId, reservation.held);
  }
  for (const { keyId, amount } of from.carriedKeySpend) countedFor(state, keyId, amount);
  state.lasting = lastingLeft(state) + (from.carriedLastingUse ?? 0);
  return state;
};

/** Credits come (back) into the grants. What an unlimited plan used beyond its grants is made up for first. */
export const received = <P extends Purse>(state: P, grants: readonly Grant[]): P => {
  let owed = overdraftOf(state);
  for (const grant of grants) {
    const kept = Math.max(0, grant.remaining - owed);
    owed -= grant.remaining - kept;
    state.available += grant.remaining;
    if (kept > 0) add(state, { ...grant, remaining: kept });
  }
  return state;
};

/** What an unlimited plan has used beyond its grants. */
export const overdraftOf = ({ grants, available }: Pick<Purse, 'grants' | 'available'>): number =>
  Math.max(0, sumOf(grants) - available);

/**
 * What was used of credits that never expire, or is invoiced, and was not given back. They are spent last: without a
 * charge that is given back, less of them would have been used.
 */
export const lastingUseOf = (state: Purse): number =>
  Math.max(0, state.lasting + overdraftOf(state) - lastingLeft(state));

/** What an account has of credits that never expire, with what jobs hold of them: what they hold of no grant comes back so too. */
const lastingLeft = ({ grants, reservations }: Pick<Purse, 'grants' | 'reservations'>): number => {
  const held = reservations.values().reduce((sum, one) => sum + one.held - expiring(one.from), 0);
  return sumOf(grants) - expiring(grants) + held;
};

const expiring = (grants: readonly Grant[]): number =>
  sumOf(grants.filter(({ expiresAt }) => expiresAt !== null));

const add = (state: Purse, grant: Grant): void => {
  const known = state.grants.findIndex((other) => isOneWith(other, grant));
  const same = state.grants[known];
  if (same !== undefined) {
    state.grants[known] = { ...same, remaining: same.remaining + grant.remaining };
    return;
  }
  state.grants.push(grant);
  state.grants.sort(byExpiry);
};

/** Refunds that expire together are one grant: an account can have any number of them, and a book must close. */
const isOneWith = (one: Grant, other: Grant): boolean =>
  one.grantId === other.grantId ||
  (one.kind === 'refund' && other.kind === 'refund' && one.expiresAt === other.expiresAt);

/** Takes `amount` out of a reservation, soonest expiry first, and says which grants it came from. */
export const heldNoMore = (state: Purse, reservationId: string, amount: number): Grant[] => {
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
  // What an unlimited plan reserved beyond its grants came from nowhere and goes back there.
  if (missing > 0)
    taken.push({ grantId: reservationId, kind: 'postpaid', remaining: missing, expiresAt: null });
  return taken;
};

/** Takes expired credits out of their grant. */
export const expired = <P extends Purse>(state: P, grantId: string, amount: number): P => {
  state.available -= amount;
  const known = state.grants.findIndex((grant) => grant.grantId === grantId);
  const grant = state.grants[known];
  if (grant === undefined) return state;
  if (grant.remaining === amount) state.grants.splice(known, 1);
  else state.grants[known] = { ...grant, remaining: grant.remaining - amount };
  return state;
};

const sumOf = (grants: readonly Grant[]): number =>
  grants.reduce((sum, { remaining }) => sum + remaining, 0);

/** Soonest expiry first, what never expires last; equal expiries by id, so that every fold agrees. */
export const byExpiry = (a: Grant, b: Grant): number => {
  if (a.expiresAt === b.expiresAt) return a.grantId < b.grantId ? -1 : 1;
  if (a.expiresAt === null) return 1;
  if (b.expiresAt === null) return -1;
  return a.expiresAt < b.expiresAt ? -1 : 1;
};
