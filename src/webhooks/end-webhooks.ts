import type { Append, EventLog, EventMeta } from '../eventlog/event-log.ts';
import { readState } from '../eventlog/read/read-state.ts';
import { currentSchemaVersion } from '../eventlog/upcasting.ts';
import { decideRemoval } from './register-webhook.ts';
import * as webhook from './webhook.ts';

/** Removals of all webhooks of an account, to be stored in the transaction that ends the account. */
export const endWebhooks =
  ({ log }: { readonly log: Pick<EventLog, 'read'> }) =>
  async (
    accountId: string,
    now: Date,
    meta: Omit<EventMeta, 'occurred_at' | 'account_id'>,
  ): Promise<readonly Append[]> => {
    const stream = webhook.streamOf(accountId);
    const { state, version: expected } = await readState(log, stream, webhook);
    const removals = [...state.webhooks.keys()].flatMap((id) => decideRemoval(id, now, state));
    const recorded = removals.map((event, index) => ({
      id: webhook.idOf(stream, event, expected + BigInt(index) + 1n),
      type: event.type,
      schemaVersion: currentSchemaVersion,
      data: event.data,
      meta: { ...meta, occurred_at: now.toISOString(), account_id: accountId },
    }));
    return recorded.length === 0 ? [] : [{ stream, expected, events: recorded }];
  };
