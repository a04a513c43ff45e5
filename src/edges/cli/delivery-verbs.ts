import type { Command } from 'commander';
import type { listDeliveries, listJobDeliveries, replay, replayJobDelivery } from '../../contract/webhooks.ts';
import { addListVerb, addServerVerb } from './server-verb.ts';
import { print, type Terminal } from './terminal.ts';

/** Prints the ids of deliveries that were requested: of one, or of several. */
export const showRequested = async (
  terminal: Terminal,
  requested: { readonly delivery_id: string } | { readonly delivery_ids: readonly string[] },
): Promise<void> => {
  const ids = 'delivery_id' in requested ? [requested.delivery_id] : requested.delivery_ids;
  for (const id of ids) await print(terminal, id);
};

/** `deliveries` and `replay` of a webhook or a job: lists deliveries, and sends one again. */
export const addDeliveries = (
  parent: Command,
  terminal: Terminal,
  endpoints: {
    readonly list: typeof listDeliveries | typeof listJobDeliveries;
    readonly replay: typeof replay | typeof replayJobDelivery;
  },
): void => {
  addListVerb(parent, terminal, {
    endpoint: endpoints.list,
    name: 'deliveries',
    columns: {
      id: 'id',
      type: 'type',
      job: 'job_id',
      status: 'status',
      attempts: ({ attempts }) => attempts.length,
      created: 'created_at',
      'last answer': ({ attempts }) => attempts.at(-1)?.http_status ?? attempts.at(-1)?.reason,
    },
  });
  addServerVerb(parent, terminal, { endpoint: endpoints.replay, name: 'replay', show: showRequested });
};
