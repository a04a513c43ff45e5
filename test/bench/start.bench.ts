import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { dataFolder, startProgram } from '#test/support/program.ts';
import { startBenchServer, videoId } from './bench-server.ts';
import { median, type Row, rounded } from './row.ts';

export const name = 'start';

/** Time from process start to the first response, and resident memory idle and after 10,000 requests. */
export const run = async (options = { starts: 3, requests: 10_000 }): Promise<readonly Row[]> => [
  ...(await configured(options)),
  ...(await embedded(options.starts)),
];

/** Resident memory of a process, in MB. */
const residentMB = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1_000;

const firstAnswer = async (environment: Readonly<Record<string, string>>): Promise<{ readonly ms: number }> => {
  const started = performance.now();
  await using program = startProgram(['serve'], { LOG_LEVEL: 'warn', ...environment });
  const answer = await fetch(`${await program.ready}/api/health`);
  const ms = performance.now() - started;
  if (answer.status !== 200) throw new Error(`health is answered with ${answer.status}`);
  return { ms };
};

/** With a running database. */
const configured = async ({
  starts,
  requests,
}: {
  readonly starts: number;
  readonly requests: number;
}): Promise<readonly Row[]> => {
  await using server = await startBenchServer();
  const idle = await settled(server.pid);
  let next = 0;
  const keys = await server.keys(32);
  const { non2xx, errors } = await autocannon({
    url: `${server.url}/v1/transcripts/${videoId}`,
    connections: keys.length,
    amount: requests,
    setupClient: (client) => {
      client.setHeaders({ authorization: `Bearer ${keys[next]}` });
      next += 1;
    },
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`);
  const busy = residentMB(server.pid);
  const after = await settled(server.pid);
  await server.stop();
  const { settings } = server;
  const times: number[] = [];
  for (let turn = 0; turn < starts; turn += 1) times.push((await firstAnswer(settings)).ms);
  const count = requests.toLocaleString('en-US');
  return [
    { case: 'start to first answer, database running and migrated', value: rounded(median(times)), unit: 'ms' },
    { case: 'resident memory, idle', value: rounded(idle), unit: 'MB' },
    { case: `resident memory, at the end of ${count} charged requests`, value: rounded(busy), unit: 'MB' },
    { case: `resident memory, idle again after ${count}`, value: rounded(after), unit: 'MB' },
  ];
};

/** After garbage collection of what the start allocated. */
const settled = async (pid: number): Promise<number> => {
  await pause(3_000);
  return residentMB(pid);
};

/** Without configuration: the embedded database is initialized the first time and started every time. */
const embedded = async (starts: number): Promise<readonly Row[]> => {
  await using data = await dataFolder();
  const environment = { DATA_DIR: data.folder };
  const first = await firstAnswer(environment);
  const times: number[] = [];
  for (let turn = 0; turn < starts; turn += 1) times.push((await firstAnswer(environment)).ms);
  return [
    { case: 'start to first answer, embedded database made anew', value: rounded(first.ms), unit: 'ms' },
    { case: 'start to first answer, embedded database started again', value: rounded(median(times)), unit: 'ms' },
  ];
};
