import type { Append, EventLog, EventMeta } from '../eventlog/log.ts';
import { decideRemoval } from './register-webhook.ts';
import * as webhook from './webhook.ts';

/** What ends all webhooks of an account, to be stored together with what ends the account. */
export const endWebhooks =
  ({ log }: { readonly log: Pick<EventLog, 'read'> }) =>
  async (
    accountId: string,
    now: Date,
    meta: Omit<EventMeta, 'occurred_at' | 'account_id'>,
  ): Promise<readonly Append[]> => {
    const stream = webhook.streamOf(accountId);
    const events = await log.read<webhook.WebhookEvent>(stream);
    let state = webhook.initialState();
    for (const { type, data } of events) {
      state = webhook.evolve(state, { type, data } as webhook.WebhookEvent);
    }
    const removals = [...state.webhooks.keys()].flatMap((id) => decideRemoval(id, now, state));
    const last = events.at(-1);
    if (last === undefined || removals.length === 0) return [];
    const recorded = removals.map((event, index) => ({
      id: webhook.idOf(stream, event, last.version + BigInt(index) + 1n),
      type: event.type,
      schemaVersion: 1,
      data: event.data,
      meta: { ...meta, occurred_at: now.toISOString(), account_id: accountId },
    }));
    return [{ stream, expected: last.version, events: recorded }];
  };
