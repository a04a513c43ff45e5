import type { Command } from 'commander';
import { z } from 'zod';
import { addListVerb, addServerVerb } from './server-verb.ts';
import { print, type Terminal } from './terminal.ts';

const Delivery = z.looseObject({
  id: z.string(),
  type: z.string(),
  job_id: z.string().nullable(),
  status: z.string(),
  created_at: z.string(),
  attempts: z.array(z.looseObject({ http_status: z.int().nullable(), reason: z.string().nullable() })),
});

/** The response to a replay: one delivery, or several. */
export const Requested = z.looseObject({
  delivery_id: z.string().optional(),
  delivery_ids: z.array(z.string()).optional(),
});

/** Prints the ids of deliveries that were requested. */
export const showRequested = async (
  terminal: Terminal,
  { delivery_id, delivery_ids = [] }: z.output<typeof Requested>,
): Promise<void> => {
  const ids = delivery_id === undefined ? delivery_ids : [delivery_id];
  for (const id of ids) await print(terminal, id);
};

/** `deliveries` and `replay` of a webhook or a job: lists deliveries, and sends one again. */
export const addDeliveries = (
  parent: Command,
  terminal: Terminal,
  { noun, path }: { readonly noun: string; readonly path: string },
): void => {
  addListVerb(parent, terminal, {
    name: 'deliveries',
    about: `what was sent about a ${noun}, newest first`,
    args: [['<id>', `the ${noun}`]],
    limit: { default: 50, page: 100 },
    request: ({ args: [id = ''] }, { limit, after }) => ({
      method: 'GET',
      path: `${path}/${encodeURIComponent(id)}/deliveries`,
      query: { limit, before: after },
    }),
    answer: z.looseObject({ deliveries: z.array(Delivery), next_before: z.string().nullable() }),
    rows: ({ deliveries }) => deliveries,
    next: ({ next_before }) => next_before,
    columns: [
      ['id', ({ id }) => id],
      ['type', ({ type }) => type],
      ['job', ({ job_id }) => job_id],
      ['status', ({ status }) => status],
      ['attempts', ({ attempts }) => attempts.length],
      ['created', ({ created_at }) => created_at],
      ['last answer', ({ attempts }) => attempts.at(-1)?.http_status ?? attempts.at(-1)?.reason],
    ],
  });
  addServerVerb(parent, terminal, {
    name: 'replay',
    about: 'send one delivery again, under the same event id',
    args: [
      ['<id>', `the ${noun}`],
      ['<delivery>', 'the delivery'],
    ],
    request: ({ args: [id = '', delivery = ''] }) => ({
      method: 'POST',
      path: `${path}/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(delivery)}/replay`,
    }),
    answer: Requested,
    show: showRequested,
  });
};
