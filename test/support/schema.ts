import { Client } from 'pg';

type Row = { readonly text: string };

/** Tables with columns and constraints, and the definitions of indexes, triggers and functions, ordered by name. */
const parts = [
  `SELECT format(E'CREATE TABLE %I (\\n%s\\n)%s;', c.relname, body.lines,
     CASE WHEN c.reloptions IS NULL THEN '' ELSE format(' WITH (%s)', array_to_string(c.reloptions, ', ')) END) AS text
   FROM pg_class AS c
   JOIN LATERAL (
     SELECT string_agg(line, E',\\n' ORDER BY part, place, line COLLATE "C") AS lines
     FROM (
       SELECT 1 AS part, a.attnum AS place, format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
         CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %I', l.collname) ELSE '' END,
         CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
         coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')) AS line
       FROM pg_attribute AS a
       JOIN pg_type AS t ON t.oid = a.atttypid
       LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
       LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       UNION ALL
       SELECT 2, 0, format('  CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
       FROM pg_constraint
       WHERE conrelid = c.oid AND contype <> 'n'
     ) AS line
   ) AS body ON true
   WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
   ORDER BY c.relname`,
  `SELECT format('CREATE SEQUENCE %I AS %s CACHE %s;', c.relname, format_type(s.seqtypid, NULL), s.seqcache) AS text
   FROM pg_sequence AS s
   JOIN pg_class AS c ON c.oid = s.seqrelid
   WHERE c.relnamespace = 'public'::regnamespace
   ORDER BY c.relname`,
  `SELECT pg_get_indexdef(i.indexrelid) || ';' AS text
   FROM pg_index AS i
   JOIN pg_class AS c ON c.oid = i.indexrelid
   WHERE c.relnamespace = 'public'::regnamespace
   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
   ORDER BY c.relname`,
  `SELECT rtrim(pg_get_functiondef(oid), E'\\n') || ';' AS text
   FROM pg_proc
   WHERE pronamespace = 'public'::regnamespace
   ORDER BY proname`,
  `SELECT pg_get_triggerdef(t.oid) || ';' || CASE t.tgenabled
     WHEN 'A' THEN format(E'\\nALTER TABLE %s ENABLE ALWAYS TRIGGER %I;', t.tgrelid::regclass, t.tgname)
     ELSE '' END AS text
   FROM pg_trigger AS t
   WHERE NOT t.tgisinternal
   ORDER BY t.tgname`,
];

/** The schema of a migrated database as SQL, the same on every version of Postgres, without grants. */
export const schemaOf = async (url: string): Promise<string> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found: string[] = [];
    for (const sql of parts) {
      const { rows } = await client.query<Row>(sql);
      found.push(...rows.map(({ text }) => text));
    }
    return `${found.join('\n\n')}\n`;
  } finally {
    await client.end();
  }
};
