import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testFiles } from '#test/support/test-files.ts';

const tests = fileURLToPath(new URL('..', import.meta.url));
const runner = join(tests, 'run.ts');

/** Runs test files with these sources in two processes, as `npm test` does. */
const ranWith = async (sources: Readonly<Record<string, string>>, ...options: readonly string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-runner-'));
  try {
    for (const [name, source] of Object.entries(sources)) {
      await writeFile(join(folder, name), source);
    }
    const args = [runner, '--processes=2', ...options, join(folder, '*.test.mjs')];
    // With this variable, the inner test runner would report to the outer one.
    const { NODE_TEST_CONTEXT: _, TEST_RETRY_FAILED: __, ...env } = process.env;
    return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

const passing = "import { it } from 'node:test';\nit('passes', () => {});\n";

describe('the test runner', () => {
  it('finds every test file, and refuses a name without a test file', () => {
    const there = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(tests, name));
    assert.deepEqual([...testFiles([]), ...testFiles([], true)].toSorted(), there.toSorted());
    assert.equal(testFiles([import.meta.filename, tests]).length, testFiles([]).length);
    assert.throws(() => testFiles(['test/nothing.test.ts']), /test\/nothing\.test\.ts/);
  });

  it('divides the files by name into tests and soak tests, and accepts one that is named in both', () => {
    const soak = testFiles([], true);
    assert.ok(soak.length > 0 && soak.every((name) => name.endsWith('.soak.test.ts')));
    assert.deepEqual(
      testFiles([]).filter((name) => name.endsWith('.soak.test.ts')),
      [],
    );
    assert.deepEqual(testFiles(soak.slice(0, 1)), soak.slice(0, 1));
    assert.throws(() => testFiles([import.meta.dirname], true), /no soak test file/);
  });

  it('passes when all tests of all processes pass, and runs each file once', async () => {
    const { code, stdout, stderr } = await ranWith({
      'a.test.mjs': passing,
      'b.test.mjs': passing,
      'c.test.mjs': passing,
    });
    assert.equal(code, 0, stderr);
    assert.equal(stdout.match(/✔ passes/g)?.length, 3);
    assert.match(stdout, /^ℹ fail 0$/m);
  });

  it('runs the tests of a name in whichever file they are, and fails when there is none', async () => {
    const files = { 'a.test.mjs': passing, 'b.test.mjs': passing };
    const named = passing.replaceAll('passes', 'is named');
    const sources = { ...files, 'c.test.mjs': passing, 'd.test.mjs': named };
    const found = await ranWith(sources, '--test-name-pattern=named');
    assert.equal(found.code, 0, found.stderr);
    assert.equal(found.stdout.match(/✔ is named/g)?.length, 1);
    assert.doesNotMatch(found.stdout, /✔ passes/);
    const none = await ranWith(files, '--test-name-pattern=named');
    assert.deepEqual([none.code, none.stderr.includes('no test was run')], [1, true]);
  });

  it('fails when a process exits before its tests end, even with code 0', async () => {
    const exiting = "import { it } from 'node:test';\nit('exits', () => process.exit(0));\n";
    const { code, stderr } = await ranWith({ 'a.test.mjs': passing, 'b.test.mjs': exiting });
    assert.equal(code, 1);
    assert.match(stderr, /a process ended too early/);
    assert.match(stderr, /b\.test\.mjs was not run/);
  });

  it('waits for a test although nothing keeps its process alive', async () => {
    const waiting = `import { it } from 'node:test';
it('waits', () => new Promise((resolve) => setTimeout(resolve, 200).unref()));\n`;
    const files = { 'a.test.mjs': passing, 'b.test.mjs': waiting, 'c.test.mjs': waiting };
    const { code, stdout, stderr } = await ranWith(files);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.match(/✔ waits/g)?.length, 2);
  });

  it('fails when there is no test', async () => {
    const { code, stderr } = await ranWith({ 'a.test.mjs': '' });
    assert.equal(code, 1);
    assert.match(stderr, /no test was run/);
  });

  it('fails when a test fails, or a file cannot be loaded', async () => {
    const failing = "import { it } from 'node:test';\nit('fails', () => { throw new Error('no'); });\n";
    const { code, stdout } = await ranWith({ 'a.test.mjs': failing, 'b.test.mjs': "import './no.mjs';" });
    assert.equal(code, 1);
    assert.match(stdout, /✖ fails/);
    assert.match(stdout, /✖ .*b\.test\.mjs/);
  });

  it('runs a file that failed once more when asked, names it, and fails when it fails again', async () => {
    const marker = join(tmpdir(), `steno-runner-${process.pid}`);
    const flaky = `import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
it('fails once', () => {
  if (existsSync('${marker}')) return rmSync('${marker}');
  writeFileSync('${marker}', '');
  throw new Error('no');
});\n`;
    const once = await ranWith({ 'a.test.mjs': passing, 'b.test.mjs': flaky }, '--retry-failed');
    assert.equal(once.code, 0, once.stderr);
    assert.match(once.stderr, /^flaky: .*b\.test\.mjs$/m);
    assert.equal(once.stdout.match(/✔ passes/g)?.length, 1);
    const failing = "import { it } from 'node:test';\nit('fails', () => { throw new Error('no'); });\n";
    const twice = await ranWith({ 'a.test.mjs': failing }, '--retry-failed');
    assert.deepEqual([twice.code, twice.stderr.includes('flaky')], [1, false]);
  });
});
