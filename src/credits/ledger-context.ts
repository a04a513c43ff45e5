import type { Call } from '../kernel/call.ts';
import { uuidOf } from '../kernel/ids.ts';

/** The part of a call that ledger commands need: who acts, under which request and which deduplication key. */
export type LedgerContext = Omit<Call, 'signal' | 'allowance' | 'requireAuthorized'>;

/** What a decision needs besides the data of its command: the time, and which of its event ids the log has already. */
export type CommandMetadata = { readonly now: Date; readonly known: ReadonlySet<string> };

/** The key behind a call, null when it was made without one. */
export const keyIdOf = ({ actor }: LedgerContext): string | null => (actor.type === 'key' ? actor.id : null);

/** The id of one event of a call. It follows from the deduplication key, so a repeat of the call gets the same id. */
export const ledgerEventIdOf = (context: LedgerContext, what: string): string =>
  uuidOf(`${context.accountId}|${context.deduplicationKey}|${what}`);
