import type { PoolClient } from 'pg';

/** What a rebuild found in one table: rows on one side only, of both at one position of the log. */
export type TableProof = {
  readonly table: string;
  readonly rows: number;
  readonly onlyLive: number;
  readonly onlyRebuilt: number;
};

/** Rows on one side only, over the columns that both sides have; a table that is new has nothing to compare. */
export const compare = async (
  client: PoolClient,
  table: string,
  live: string,
  rebuilt: string,
): Promise<TableProof> => {
  const [old, anew] = [`${table}_${live}`, `${table}_${rebuilt}`];
  const { rows } = await client.query<{ columns: string | null }>(
    `SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
     FROM pg_attribute AS a JOIN pg_attribute AS b ON b.attname = a.attname AND b.attrelid = to_regclass($2)
     WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''`,
    [old, anew],
  );
  const columns = rows[0]?.columns ?? null;
  // One pass over both: what EXCEPT ALL of each way would leave is what is left of the one and of the other.
  const counted = await client.query<Record<'rows' | 'only_live' | 'only_rebuilt', string>>(
    columns === null
      ? `SELECT count(*)::text AS rows, '0' AS only_live, '0' AS only_rebuilt FROM ${anew}`
      : `SELECT coalesce(sum(rebuilt), 0)::text AS rows,
           coalesce(sum(live - rebuilt) FILTER (WHERE live > rebuilt), 0)::text AS only_live,
           coalesce(sum(rebuilt - live) FILTER (WHERE rebuilt > live), 0)::text AS only_rebuilt
         FROM (
           SELECT count(*) FILTER (WHERE is_live) AS live, count(*) FILTER (WHERE NOT is_live) AS rebuilt
           FROM (
             SELECT ${columns}, true AS is_live FROM ${old}
             UNION ALL SELECT ${columns}, false FROM ${anew}
           ) AS both_sides
           GROUP BY ${columns}
         ) AS compared`,
  );
  const [row] = counted.rows;
  return {
    table,
    rows: Number(row?.rows),
    onlyLive: Number(row?.only_live),
    onlyRebuilt: Number(row?.only_rebuilt),
  };
};
