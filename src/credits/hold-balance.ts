import { Refusal } from '../kernel/refusal.ts';
import { type Charge, chargeIdOf, refuseAbove, refuseAboveCap } from './charge-credits.ts';
import type { State } from './credits.ts';
import type { Origin } from './origin.ts';

/** The balance covers the work that this holds; released when the work ended. Its charge, answered, ends it too. */
export type Hold = { readonly release: () => void };

/** What the operations of one account hold in this process, in credits. */
type Holder = {
  /** At work: nothing of it is spent. */
  working: number;
  /** Being charged: a state that is read now may have it already, or not yet. */
  charging: number;
  readonly charges: Set<Promise<unknown>>;
};

type Held = {
  readonly holder: Holder;
  readonly amount: number;
  status: 'working' | 'charging' | 'freed';
};

/** How often a refusal waits for the charges under way, which it may have counted twice. */
const maxLooks = 20;

/**
 * `hold` holds what charges will cost before the work for them starts, so that this process never works for more than
 * the balance pays. A hold lives in this process only: the charge decides again. Throws INSUFFICIENT_CREDITS, on a
 * state that was read just now; what was charged before (the same operation sent again) is free.
 * `charged` runs the charge of an operation and ends its hold with the answer.
 */
export const holdBalance = ({
  stateOf,
  hasEvent,
}: {
  readonly stateOf: (origin: Origin, fresh: boolean) => Promise<Readonly<State>>;
  readonly hasEvent: (id: string) => Promise<boolean>;
}) => {
  const { holderOf, take, heldBy, charge, free } = holdings();

  const hold = async (origin: Origin, charges: readonly Charge[]): Promise<Hold> => {
    let amount = costOf(charges);
    for (let looks = 0; ; looks += 1) {
      const state = await stateOf(origin, looks > 0);
      const holder = holderOf(origin);
      try {
        refuseAbove(state, amount, holder.working + holder.charging);
        refuseAboveCap(state, origin, amount);
        const held = take(origin, amount);
        return { release: () => free(origin, held) };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (looks === 0) {
          const known = await Promise.all(charges.map((one) => hasEvent(chargeIdOf(origin, one))));
          amount = costOf(charges.filter((_, index) => known[index] === false));
          continue;
        }
        // Refused without what is being charged, too: then it stands.
        refuseAbove(state, amount, holder.working);
        refuseAboveCap(state, origin, amount);
        if (looks === maxLooks) throw error;
        await Promise.allSettled(holder.charges);
      }
    }
  };

  const charged = async <Posted>(origin: Origin, post: () => Promise<Posted>): Promise<Posted> => {
    const held = heldBy(origin);
    if (held?.status !== 'working') return await post();
    charge(held);
    const posting = post().finally(() => {
      held.holder.charges.delete(posting);
      free(origin, held);
    });
    held.holder.charges.add(posting);
    return await posting;
  };

  return { hold, charged };
};

/** The holds of all accounts of this process; one that holds nothing is forgotten. */
const holdings = () => {
  const holders = new Map<string, Holder>();
  const operations = new Map<string, Held>();
  const nameOf = ({ accountId, operationKey }: Origin) => `${accountId} ${operationKey}`;
  const holderOf = ({ accountId }: Origin): Holder =>
    holders.get(accountId) ?? { working: 0, charging: 0, charges: new Set() };

  return {
    holderOf,
    heldBy: (origin: Origin): Held | undefined => operations.get(nameOf(origin)),
    take: (origin: Origin, amount: number): Held => {
      const holder = holderOf(origin);
      const held: Held = { holder, amount, status: 'working' };
      holder.working += amount;
      holders.set(origin.accountId, holder);
      operations.set(nameOf(origin), held);
      return held;
    },
    charge: (held: Held): void => {
      held.status = 'charging';
      held.holder.working -= held.amount;
      held.holder.charging += held.amount;
    },
    free: (origin: Origin, held: Held): void => {
      const { holder, amount, status } = held;
      if (status === 'freed') return;
      held.status = 'freed';
      holder[status] -= amount;
      if (operations.get(nameOf(origin)) === held) operations.delete(nameOf(origin));
      const isIdle = holder.working === 0 && holder.charging === 0;
      if (isIdle && holders.get(origin.accountId) === holder) holders.delete(origin.accountId);
    },
  };
};

const costOf = (charges: readonly Charge[]): number =>
  charges.reduce((sum, { amount }) => sum + amount, 0);
