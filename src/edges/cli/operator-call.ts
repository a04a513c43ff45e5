import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';

/** A call of an operator at the command line, on behalf of an account. */
export const operatorCall = (accountId: string, signal: AbortSignal): Call => {
  const requestId = newId('req');
  return {
    accountId,
    actor: { type: 'operator', id: operatorId() },
    capCredits: null,
    channel: 'cli',
    requestId,
    operationKey: requestId,
    isRepeatable: false,
    traceparent: null,
    signal,
  };
};

/** The user id instead of the login name, because ledger entries are permanent and visible to account owners. */
const operatorId = (): string => `uid-${process.getuid?.() ?? 'unknown'}`;
