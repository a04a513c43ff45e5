import type { Call } from '../kernel/call.ts';
import { uuidOf } from '../kernel/ids.ts';

/** The part of a call that ledger commands need: who acts, under which request and which operation key. */
export type OperationContext = Omit<Call, 'signal' | 'allowance'>;

/** What a decision needs besides the data of its command: the time, and which of its event ids the log has already. */
export type CommandMetadata = { readonly now: Date; readonly known: ReadonlySet<string> };

/** The key behind a call, null when it was made without one. */
export const keyIdOf = ({ actor }: OperationContext): string | null => (actor.type === 'key' ? actor.id : null);

/** The id of one event of an operation. It follows from the operation key, so a repeat of the operation gets the same id. */
export const operationIdOf = (context: OperationContext, what: string): string =>
  uuidOf(`${context.accountId}|${context.operationKey}|${what}`);
