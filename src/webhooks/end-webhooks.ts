import type { Append, EventLog, EventMeta } from '../eventlog/event-log.ts';
import { readState } from '../eventlog/read/read-state.ts';
import { currentSchemaVersion } from '../eventlog/upcasting.ts';
import { decideRemoval } from './register-webhook.ts';
import * as webhook from './webhook.ts';

/** The end of all webhooks of an account as another room stores it. */
export type WebhooksEnd = {
  readonly appends: readonly Append[];
  readonly stream: string;
  /** Of the stream when `appends` are stored: another one says that somebody changed it meanwhile. */
  readonly version: bigint;
};

/** What ends all webhooks of an account, to be stored together with what ends the account. */
export const endWebhooks =
  ({ log }: { readonly log: Pick<EventLog, 'read'> }) =>
  async (
    accountId: string,
    now: Date,
    meta: Omit<EventMeta, 'occurred_at' | 'account_id'>,
  ): Promise<WebhooksEnd> => {
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
    const appends = recorded.length === 0 ? [] : [{ stream, expected, events: recorded }];
    return { appends, stream, version: expected + BigInt(recorded.length) };
  };
