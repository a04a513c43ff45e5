import type { Event } from '@event-driven-io/emmett';
import { foldBy, type Projection, type Tally } from '#src/eventlog/projections/projection.ts';

export type Spent = Event<'Spent', { accountId: string; kind: string; amount: number; at: string }>;

/** Sums by account, day and kind, folded in memory, with one upsert for each key and batch. */
export const spending: Projection<Spent> = {
  name: 'spending',
  version: 1,
  types: ['Spent'],
  tables: ['spending'],
  createSql: ({ spending: table }) => `
    CREATE TABLE ${table} (
      account_id text NOT NULL,
      day text NOT NULL,
      kind text NOT NULL,
      count bigint NOT NULL,
      amount bigint NOT NULL,
      PRIMARY KEY (account_id, day, kind)
    )`,
  fields: { accountId: 'text', kind: 'text', amount: 'integer', at: 'text' },
  tally: () => tally(),
  fold: foldBy(() => tally()),
};

const tally = (): Tally<Spent> => {
  const sums = new Map<string, { key: readonly string[]; count: number; amount: number }>();
  return {
    add: (events) => {
      for (const { data } of events) {
        const key = [data.accountId, data.at.slice(0, 10), data.kind] as const;
        const id = key.join(' ');
        const sum = sums.get(id) ?? { key, count: 0, amount: 0 };
        sum.count += 1;
        sum.amount += data.amount;
        sums.set(id, sum);
      }
    },
    size: () => sums.size,
    write: async (transaction, { spending: table }) => {
      const rows = [...sums.values()];
      await transaction.query(
        `INSERT INTO ${table} AS t (account_id, day, kind, count, amount)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
         ON CONFLICT (account_id, day, kind)
         DO UPDATE SET count = t.count + EXCLUDED.count, amount = t.amount + EXCLUDED.amount`,
        [
          rows.map(({ key }) => key[0]),
          rows.map(({ key }) => key[1]),
          rows.map(({ key }) => key[2]),
          rows.map(({ count }) => count),
          rows.map(({ amount }) => amount),
        ],
      );
    },
  };
};
