import { userInfo } from 'node:os';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';

/** A call of an operator at the command line, on behalf of an account. */
export const operatorCall = (accountId: string, signal: AbortSignal): Call => {
  const requestId = newId('req');
  return {
    accountId,
    actor: { type: 'operator', id: operatorName() },
    capCredits: null,
    channel: 'cli',
    requestId,
    operationKey: requestId,
    isRepeatable: false,
    traceparent: null,
    signal,
  };
};

/** A user id without a name happens in containers. */
const operatorName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
};
