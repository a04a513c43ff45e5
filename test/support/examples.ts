import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres/embedded-postgres.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { runProgram, startOf, startProgram, usedDataFolder } from '#test/support/program.ts';
import { runLines } from '#test/support/shell.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** What the documents call the server. */
const shownUrl = 'http://127.0.0.1:3000';
/** How they run a command. */
const shownSteno = 'npm run -s steno --';

/** What a reader types is solved here. */
const typedAnswer = 'read -r ANSWER';
const solvedAnswer = 'ANSWER=$(node --no-warnings test/support/solve-captcha.ts "$QUESTION")';

/** npm and the loader take longer than most commands do: the first example goes through them, the rest does not. */
const stenoOf = (path: string, index: number): string => {
  if (path === 'README.md' && index === 0) return shownSteno;
  const { script, env } = startOf('src/main.ts');
  return `NODE_COMPILE_CACHE='${env['NODE_COMPILE_CACHE'] ?? ''}' node --no-warnings '${script}'`;
};

/** The examples of a document in one language that say they can be run. */
const examplesOf = (text: string, language: 'bash' | 'sql'): readonly string[] =>
  [...text.matchAll(/^```(\w+) test\n([\s\S]*?)^```$/gm)]
    .filter(([, named]) => named === language)
    .map(([, , lines = '']) => lines);

/**
 * Declares the tests that run the examples of these documents, beside one service. `isRequestsOnly`: without those that
 * start a program.
 */
export const runExamples = (documents: readonly string[], { isRequestsOnly = false } = {}): void => {
  describe('the examples in the documents', () => {
    const started = new AsyncDisposableStack();
    let environment: Record<string, string> = {};
    let url = '';

    before(async () => {
      const data = started.use(await usedDataFolder());
      const simulator = started.use(await startSimulator());
      environment = {
        DATA_DIR: data.folder,
        PLATFORM_ORIGIN: simulator.origin,
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000',
        TLOG_INTERVAL: '1s',
      };
      const program = started.use(startProgram(['serve'], environment));
      url = await program.ready;
      const line = 'account create --email reader@example.com --password sufficient-words --json';
      const { stdout } = await runProgram(line.split(' '), environment);
      const { account_id, api_key } = JSON.parse(stdout);
      environment = { ...environment, ACCOUNT: account_id, KEY: api_key };
    });
    after(() => started.disposeAsync());

    for (const path of globSync([...documents], { cwd: root }).toSorted()) {
      for (const [index, lines] of examplesOf(read(path), 'bash').entries()) {
        if (isRequestsOnly && !lines.includes('curl')) continue;
        it(`work: ${path}, ${index + 1}`, async () => {
          const here = lines
            .replaceAll(shownUrl, url)
            .replaceAll(shownSteno, stenoOf(path, index))
            .replaceAll(typedAnswer, solvedAnswer);
          const { code, stdout, stderr } = await runLines(here, environment);
          assert.equal(code, 0, stderr);
          assert.notEqual(stdout, '', 'an example shows something');
          assert.doesNotMatch(stdout, /^\{"error":/m);
        });
      }
      for (const [index, query] of examplesOf(read(path), 'sql').entries()) {
        it(`answer: ${path}, query ${index + 1}`, async () => {
          await using postgres = await openEmbeddedPostgres({ dataDir: environment['DATA_DIR'] ?? '' });
          const client = new Client(postgres.url);
          await client.connect();
          const { rows } = await client.query(query.replaceAll('acc_…', environment['ACCOUNT'] ?? ''));
          await client.end();
          assert.notDeepEqual(rows, []);
        });
      }
    }
  });
};
