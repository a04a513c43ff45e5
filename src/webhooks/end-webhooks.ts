import type { Append, EventLog, EventMeta } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { readState } from '../eventlog/read/read-state.ts';
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
    const recorded = { ...meta, occurred_at: now.toISOString(), account_id: accountId };
    const events = removals.map((event, index) =>
      newEvent(event, webhook.idOf(stream, event, expected + BigInt(index) + 1n), recorded),
    );
    return events.length === 0 ? [] : [{ stream, expected, events }];
  };
