import type { Command } from '@event-driven-io/emmett';
import type { OperationFailed, OperationServed } from './credits.ts';
import { type CommandMetadata, keyIdOf, type LedgerContext, ledgerEventIdOf } from './ledger-context.ts';
import type { UsageKind } from './prices.ts';

/** Requests that ended without a charge: one that was free (`code` null), or requests that failed. */
export type UnchargedRequests = {
  readonly operation: UsageKind;
  readonly code: string | null;
  /** Failed requests that are counted together; absent: 1. */
  readonly requests?: number;
};

/** Usage counts what ended without a charge. */
export type RecordUnchargedRequests = Command<
  'RecordUnchargedRequests',
  { readonly context: LedgerContext } & UnchargedRequests,
  CommandMetadata
>;

/** The id of the event of a record: the same for the same request and operation. */
export const recordIdOf = ({ data }: Pick<RecordUnchargedRequests, 'data'>): string =>
  ledgerEventIdOf(data.context, `ended|${data.operation}`);

/** No event if these requests are recorded already. */
export const decide = (command: RecordUnchargedRequests): (OperationServed | OperationFailed)[] => {
  const { context, operation, code, requests = 1 } = command.data;
  const operationId = recordIdOf(command);
  if (command.metadata.known.has(operationId)) return [];
  const { accountId, requestId } = context;
  const keyId = keyIdOf(context);
  const at = command.metadata.now.toISOString();
  if (code === null) {
    const data = { accountId, operationId, operation, keyId, requestId, at };
    return [{ type: 'OperationServed', data }];
  }
  const data = { accountId, operationId, operation, code, keyId, requestId, at };
  return [{ type: 'OperationFailed', data: requests === 1 ? data : { ...data, requests } }];
};
