import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createLogger } from '#src/adapters/telemetry/log.ts';
import { isWellFormed } from '#src/keys/key-secret.ts';

/*
 * Everything that the product logs in a test run, and dumps of the databases of journeys, are kept in one
 * folder, and searched when the run has ended. A secret is recognized by its format, by a mark that tests put into the
 * passwords they choose, or because a helper registered it with `planted`.
 */

/** The folder of this run; undefined if tests run without `test/run.ts`. */
const folder = process.env['STENO_TEST_LEAKS'] || null;

/** The prefix of every test password: where it is found, a password has leaked. */
const mark = 'Canary-4711-';

/** A test password with the mark; the same for the same name. */
export const plantedPassword = (name: string): string => `${mark}${name} horse battery`;

const files = new Map<string, number>();

const keep = (name: string, text: string): void => {
  if (folder === null) return;
  const file = files.get(name) ?? openSync(join(folder, name), 'a');
  files.set(name, file);
  writeSync(file, text);
};

/** Registers a secret from a response, such as a cookie or the token of a captcha, for the search. */
export const planted = (secret: string): string => {
  keep('planted', secret === '' ? '' : `${secret}\n`);
  return secret;
};

/** Keeps the log output of a process of the product. */
export const keepLog = (text: string): void => keep(`log-${process.pid}`, text);

/** The logger of the product in test processes: keeps every level for the search. */
export const logOfRun = createLogger({ level: folder === null ? 'error' : 'debug', sink: { write: keepLog } });

/** Every row of every table as text, with the name of its table, as a stolen dump would hold it. */
export const dumpOf = async (url: string): Promise<readonly { place: string; text: string }[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name
         FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const all = tables.map(({ name }) => `SELECT '${name}' AS place, t::text AS text FROM ${name} t`);
    const { rows } = await client.query<{ place: string; text: string }>(all.join(' UNION ALL '));
    return rows;
  } finally {
    await client.end();
  }
};

/** Keeps a dump of a database that is about to be dropped. */
export const keepDump = async (url: string): Promise<void> => {
  if (folder === null) return;
  const rows = await dumpOf(url);
  keep(`dump-${process.pid}`, rows.map(({ place, text }) => `${place}\t${text}\n`).join(''));
};

/** The encodings in which a secret could have been stored: plain, hex, base64. */
export const formsOf = (secret: string): readonly string[] => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(secret),
];

type Rule = {
  readonly what: string;
  readonly form: RegExp;
  readonly isSecret?: (found: string) => boolean;
  /** The tables that may hold it; logs never may. */
  readonly home?: RegExp;
};

const base64Of = (text: string): string[] =>
  [0, 1, 2].map((offset) =>
    Buffer.from(' '.repeat(offset) + text)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );

const people = /^public\.account_profiles$/;
/** Descriptions of public videos may name the address of their author. */
const addresses = /^public\.(account_profiles|platform_video)$/;
const markForms = [mark, Buffer.from(mark).toString('hex'), ...base64Of(mark)];

const rules: readonly Rule[] = [
  { what: 'a key', form: /stn_live_[0-9A-Za-z]{38}/g, isSecret: isWellFormed },
  { what: 'a signing secret', form: /whsec_[\w+/]{20,}/g },
  { what: 'a hash of a password', form: /\$argon2\w*\$/g, home: people },
  { what: 'a password', form: new RegExp(markForms.join('|'), 'g') },
  { what: 'a cookie', form: /\b(session|visitor)=[\w.-]{20,}/g },
  { what: 'an answer to a captcha', form: /captcha_(answer|response)\W{1,5}\w/g },
  // It starts only where a word starts: a search from each character of a long word takes 2 s.
  { what: 'a mail address', form: /(?<![\w.+-])[\w.+-]+@[\w-]+\.[a-z]{2,}\b/gi, home: addresses },
];

const tokens = /[\w-]{30,}/g;
const hexTexts = /(?:\\x|\b)((?:[2-7][0-9a-f]){30,})(?![0-9a-f])/g;

/** The leaks in one line; `place` is its table, null for a log. */
const leaksInLine = (text: string, place: string | null, known: ReadonlySet<string>): readonly string[] => {
  const byForm = rules
    .filter(({ home }) => place === null || home?.test(place) !== true)
    .filter(({ form, isSecret }) => [...text.matchAll(form)].some(([found]) => isSecret?.(found) ?? true))
    .map(({ what }) => what);
  const decoded = [...text.matchAll(hexTexts)].map(([, hex = '']) => Buffer.from(hex, 'hex'));
  const isKnown = [text, ...decoded.map(String)].some((readable) =>
    [...readable.matchAll(tokens)].some(([token]) => known.has(token)),
  );
  return isKnown ? [...byForm, 'a token that an answer showed'] : byForm;
};

/** The leaks in the folder of a run: one sentence for each kind of secret, file and table. */
export const leaksIn = (kept: string): readonly string[] => {
  const names = readdirSync(kept);
  const linesOf = (name: string): string[] => readFileSync(join(kept, name), 'utf8').split('\n');
  const told = names.includes('planted') ? linesOf('planted') : [];
  const known = new Set(told.flatMap((secret) => secret.match(tokens) ?? []));
  const leaks = new Map<string, string>();
  for (const name of names.filter((one) => one !== 'planted')) {
    for (const line of linesOf(name)) {
      const place = name.startsWith('dump-') ? (line.split('\t')[0] ?? '') : null;
      for (const what of leaksInLine(line, place, known)) {
        const where = place ?? `a log (${line.slice(0, 160)}…)`;
        leaks.set(`${what} ${place ?? name}`, `${what} stands in ${where}`);
      }
    }
  }
  return [...leaks.values()];
};
