import type { Command } from '@event-driven-io/emmett';
import type { OperationFailed, OperationServed } from './credits.ts';
import { type Circumstances, keyIdOf, type Origin, operationIdOf } from './origin.ts';
import type { Operation } from './prices.ts';

/** An authenticated operation ended without a charge: free of charge (`code` null) or failed. Usage counts it. */
export type RecordOperation = Command<
  'RecordOperation',
  { origin: Origin; operation: Operation; code: string | null },
  Circumstances
>;

export const recordIdOf = ({ data }: Pick<RecordOperation, 'data'>): string =>
  operationIdOf(data.origin, `ended|${data.operation}`);

/** Nothing when this operation is recorded already. */
export const decide = (command: RecordOperation): (OperationServed | OperationFailed)[] => {
  const { origin, operation, code } = command.data;
  const operationId = recordIdOf(command);
  if (command.metadata.known.has(operationId)) return [];
  const { accountId, requestId } = origin;
  const keyId = keyIdOf(origin);
  const at = command.metadata.now.toISOString();
  if (code === null) {
    const data = { accountId, operationId, operation, keyId, requestId, at };
    return [{ type: 'OperationServed', data }];
  }
  const data = { accountId, operationId, operation, code, keyId, requestId, at };
  return [{ type: 'OperationFailed', data }];
};
