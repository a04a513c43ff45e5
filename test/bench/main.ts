import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres/embedded-postgres.ts';
import { openPostgresVersion, versionIn } from '#test/support/postgres-version.ts';
import { type GoalKind, isMet, type Row } from './row.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const one = join(folder, 'run-one.ts');
/** Run only by name, because they take minutes. */
const onlyNamed = ['stress', 'scale'];

/** A smaller production configuration: every commit is on disk before it returns. */
const settings = { fsync: 'on', synchronous_commit: 'on', max_connections: '300', max_wal_size: '2GB' };

/** `http`, `charge`, …: the files `*.bench.ts` here, and the two that are only run by name. */
const benches = async (): Promise<ReadonlyMap<string, string>> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).toSorted();
  const named = files.map((file) => [file.replace('.bench.ts', ''), join(folder, file)] as const);
  return new Map([...named, ...onlyNamed.map((name) => [name, join(folder, `${name}.ts`)] as const)]);
};

/** Runs what the arguments name (none: everything but those) beside one Postgres, and prints one table. */
const main = async (words: readonly string[]): Promise<number> => {
  const { version, rest: args } = versionIn(words);
  const known = await benches();
  const unknown = args.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    console.error(`no bench ${unknown.join(', ')}; there are ${[...known.keys()].join(', ')}`);
    return 2;
  }
  const wanted = [...known].filter(([name]) => (args.length > 0 ? args.includes(name) : !onlyNamed.includes(name)));
  const given = process.env['BENCH_DATABASE_URL'];
  if (version === null && given !== undefined && given !== '') return await runAll(wanted, given);

  const data = await mkdtemp(join(tmpdir(), 'steno-bench-'));
  await chmod(data, 0o755);
  const postgres =
    version === null
      ? await openEmbeddedPostgres({ dataDir: data, settings })
      : await openPostgresVersion(version, join(data, 'postgres'), settings);
  try {
    return await runAll(wanted, postgres.url);
  } finally {
    await postgres[Symbol.asyncDispose]();
    await rm(postgres.folder, { recursive: true, force: true });
    await rm(data, { recursive: true, force: true });
  }
};

const runAll = async (wanted: readonly (readonly [string, string])[], databaseUrl: string): Promise<number> => {
  console.log(machine());
  const table: (readonly [string, Row])[] = [];
  let failed = 0;
  for (const [name, path] of wanted) {
    const started = performance.now();
    console.error(`${name} …`);
    const rows = await runOne(path, databaseUrl);
    if (rows === null) failed += 1;
    else table.push(...rows.map((row) => [name, row] as const));
    console.error(`${name}: ${Math.round((performance.now() - started) / 1000)} s`);
  }
  console.log(tableOf(table));
  return failed > 0 || table.some(([, row]) => isMet(row) === false) ? 1 : 0;
};

/** Null if the bench failed; the error is on stderr. */
const runOne = async (path: string, databaseUrl: string): Promise<readonly Row[] | null> => {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx/esm'), one, path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl },
  });
  let rows: readonly Row[] | null = null;
  child.on('message', (message) => {
    if (Array.isArray(message)) rows = message;
  });
  // The terminal sends Ctrl-C to the bench too; this process must stop Postgres before it ends.
  const stop = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  await once(child, 'exit');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop);
  return rows;
};

const machine = (): string => {
  const [cpu] = cpus();
  const load = loadavg()[0]?.toFixed(1);
  return `Node ${process.version}, ${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, load before ${load}\n`;
};

const tableOf = (rows: readonly (readonly [string, Row])[]): string => {
  const lines = [
    ['bench', 'case', 'value', 'unit', 'baseline', 'ratio', 'goal', 'met'],
    ...rows.map(([name, row]) => [
      name,
      row.case,
      number(row.value),
      row.unit,
      number(row.baseline),
      number(row.ratio),
      goalOf(row),
      { true: 'yes', false: 'NO', null: '' }[String(isMet(row)) as 'true' | 'false' | 'null'],
    ]),
  ];
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const [head, ...body] = lines.map(
    (line) => `| ${line.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)).join(' | ')} |`,
  );
  const rule = `|${widths?.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [head, rule, ...body].join('\n');
};

const number = (value: number | undefined): string =>
  value?.toLocaleString('en-US', { maximumSignificantDigits: 6 }) ?? '';

const goalSigns: Readonly<Record<GoalKind, string>> = {
  'at least': '≥',
  'at most': '≤',
  ratio: 'ratio ≥',
  'ratio at most': 'ratio ≤',
};

const goalOf = ({ goal, goalKind }: Row): string => {
  if (goal === undefined) return '';
  return `${goalSigns[goalKind ?? 'at least']} ${number(goal)}`;
};

process.exitCode = await main(process.argv.slice(2));
