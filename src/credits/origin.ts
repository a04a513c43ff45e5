import type { Call } from '../kernel/call.ts';
import { uuidOf } from '../kernel/ids.ts';

/** Who acts in a ledger, under which request and operation: what every command of this room is made with. */
export type Origin = Pick<
  Call,
  | 'accountId'
  | 'actor'
  | 'channel'
  | 'requestId'
  | 'operationKey'
  | 'isRepeatable'
  | 'capCredits'
  | 'traceparent'
>;

/** What a decision needs besides the command: the time, and which event ids the log has already. */
export type Circumstances = { readonly now: Date; readonly known: ReadonlySet<string> };

/** The key behind a call, null when it was made without one. */
export const keyIdOf = ({ actor }: Origin): string | null =>
  actor.type === 'key' ? actor.id : null;

/** The id of one thing that one operation does: the same operation sent again gets the same id. */
export const operationIdOf = (origin: Origin, what: string): string =>
  uuidOf(`${origin.accountId}|${origin.operationKey}|${what}`);
