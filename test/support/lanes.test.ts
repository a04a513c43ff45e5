import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allFiles, filesNamed, layOut, unfinishedIn, walkedIn } from '#test/support/lanes.ts';

const tests = fileURLToPath(new URL('..', import.meta.url));

const passing = (name: string): string =>
  `import { it } from 'node:test';\nit(${JSON.stringify(name)}, () => {});\n`;

/** Knows the file under test while it is loaded, when what is kept of its databases is decided. */
const knowing = `import assert from 'node:assert/strict';
import { before, it } from 'node:test';
const file = process.env.STENO_TEST_FILE;
before(() => assert.equal(process.env.STENO_TEST_FILE, import.meta.filename));
it('knows its file', () => {
  assert.equal(process.env.STENO_TEST_FILE, import.meta.filename);
  assert.equal(file, import.meta.filename);
});
`;

/** Runs these files in so many lanes as a run of tests does. */
const ranIn = async (lanes: number, sources: Readonly<Record<string, string>>) => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-lanes-'));
  try {
    const files = Object.keys(sources).map((name) => join(folder, name));
    for (const [name, source] of Object.entries(sources)) {
      await writeFile(join(folder, name), source);
    }
    const modules = layOut(folder, files, lanes, 1_000);
    // A test runner within a test runner would report to the outer one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
      execFile(process.execPath, ['--test', ...modules], { env }, (error, said) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout: said }),
      );
    });
    return {
      code,
      stdout,
      modules,
      unfinished: unfinishedIn(folder).map((line) => line.replace(/^\S*\//, '')),
      walked: [...walkedIn(folder).values()].flat().map((file) => file.replace(/^.*\//, '')),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the lanes of a run of tests', () => {
  it('are given every test file there is, once', () => {
    const there = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(tests, name));
    assert.ok(there.length > 100);
    assert.deepEqual(allFiles().toSorted(), there.toSorted());
  });

  it('refuse a name that means no test file', () => {
    assert.throws(() => filesNamed(['test/nothing.test.ts']), /test\/nothing\.test\.ts/);
    assert.deepEqual(filesNamed([import.meta.filename, tests]).length, allFiles().length);
  });

  it('run each file once, in as many processes as there are lanes', async () => {
    const names = ['a.test.mjs', 'b.test.mjs', 'c.test.mjs', 'd.test.mjs', 'e.test.mjs'];
    const sources = Object.fromEntries(names.map((name) => [name, passing(`one of ${name}`)]));
    const { code, stdout, modules, unfinished, walked } = await ranIn(2, sources);
    assert.equal(code, 0, stdout);
    assert.equal(modules.length, 2);
    assert.deepEqual(unfinished, []);
    assert.deepEqual(walked.toSorted(), names);
    for (const name of names) assert.match(stdout, new RegExp(`✔ one of ${name}`));
    assert.equal(stdout.match(/✔ one of/g)?.length, 5);
  });

  it('tell what runs in them which file is under test', async () => {
    const { code, stdout } = await ranIn(1, { 'a.test.mjs': knowing, 'b.test.mjs': knowing });
    assert.equal(code, 0, stdout);
    assert.equal(stdout.match(/✔ knows its file/g)?.length, 2);
  });

  it('know of each file which suites its tests belong to', async () => {
    const suites = `import { describe, it } from 'node:test';
describe('outer', () => { describe('inner', () => { it('innermost', () => {}); }); });
`;
    const { code, stdout } = await ranIn(1, { 'a.test.mjs': suites, 'b.test.mjs': suites });
    assert.equal(code, 0, stdout);
    const nested = /^▶ .*\.test\.mjs\n {2}▶ outer\n {4}▶ inner\n {6}✔ innermost/gm;
    assert.equal(stdout.match(nested)?.length, 2, stdout);
  });

  it('are not followed by the runner from promise to promise while their tests run', async () => {
    const following = `import assert from 'node:assert/strict';
import { executionAsyncId } from 'node:async_hooks';
import { it } from 'node:test';
it('goes on', async () => {
  await null;
  assert.equal(executionAsyncId(), 0);
});
`;
    const { code, stdout } = await ranIn(1, { 'a.test.mjs': following, 'b.test.mjs': following });
    assert.equal(code, 0, stdout);
    assert.equal(stdout.match(/✔ goes on/g)?.length, 2);
  });

  it('are red where nobody catches an error, tell in which file, and go on behind it', async () => {
    const late = (error: string): string => `import { it } from 'node:test';
it('waits', () => new Promise((resolve) => {
  setTimeout(() => { ${error}; }, 1);
  setTimeout(resolve, 100);
}));
`;
    const { code, stdout } = await ranIn(1, {
      'thrown.test.mjs': late("throw new Error('it is thrown')"),
      'rejected.test.mjs': late("void Promise.reject(new Error('it is rejected'))"),
      'well.test.mjs': passing('it is well'),
    });
    assert.equal(code, 1);
    for (const how of ['thrown', 'rejected']) {
      const told = `${how}\\.test\\.mjs: nobody caught this: Error: it is ${how}\\n +at .*${how}\\.test\\.mjs:3`;
      assert.match(stdout, new RegExp(told), stdout);
    }
    assert.match(stdout, /✔ it is well/);
  });

  it('are red by the name of a file that cannot be loaded, and go on behind it', async () => {
    const { code, stdout, unfinished } = await ranIn(1, {
      'broken.test.mjs': 'const x = ;',
      'missing.test.mjs': "import './not-there.mjs';",
      'throwing.test.mjs': "throw new Error('it throws');",
      'well.test.mjs': passing('it is well'),
    });
    assert.equal(code, 1);
    assert.deepEqual(unfinished, []);
    for (const name of ['broken', 'missing', 'throwing']) {
      assert.match(stdout, new RegExp(`✖ .*${name}\\.test\\.mjs`));
    }
    assert.match(stdout, /it throws/);
    assert.match(stdout, /✔ it is well/);
    assert.match(stdout, /^ℹ fail 3$/m);
  });

  it('are red where a hook of a file fails, before or after its tests, and go on behind it', async () => {
    const failing = (hook: string): string =>
      `import { ${hook} } from 'node:test';\n${hook}(() => { throw new Error('no ${hook}'); });\n${passing('one')}`;
    const { code, stdout, unfinished } = await ranIn(1, {
      'before.test.mjs': failing('before'),
      'after.test.mjs': failing('after'),
      'well.test.mjs': passing('it is well'),
    });
    assert.equal(code, 1);
    assert.deepEqual(unfinished, []);
    assert.match(stdout, /no before/);
    assert.match(stdout, /no after/);
    assert.match(stdout, /✔ it is well/);
  });

  it('are red, and end, when something that a file left runs on', async () => {
    const { code, stdout } = await ranIn(1, {
      'leaving.test.mjs': `setInterval(() => {}, 1_000);\n${passing('it leaves something')}`,
      'well.test.mjs': passing('it is well'),
    });
    assert.equal(code, 1);
    assert.match(stdout, /✔ it leaves something/);
    assert.match(stdout, /✔ it is well/);
    assert.match(stdout, /lane-1 does not end: .*Timeout/);
  });

  it('name a file that ends its process, and leave the rest to the others', async () => {
    const { code, unfinished, walked } = await ranIn(2, {
      'ending.test.mjs': "process.kill(process.pid, 'SIGKILL');",
      'waiting.test.mjs':
        "import { it } from 'node:test';\nit('waits', () => new Promise((resolve) => setTimeout(resolve, 1_000)));\n",
      'well.test.mjs': passing('it is well'),
    });
    assert.equal(code, 1);
    assert.equal(unfinished.length, 1);
    assert.match(unfinished[0] ?? '', /^ending\.test\.mjs did not come to its end/);
    assert.ok(walked.includes('well.test.mjs'));
  });

  it('tell which files nobody ran, when every lane broke down', async () => {
    const { code, unfinished } = await ranIn(1, {
      'ending.test.mjs': "process.exit(0); import 'node:test';",
      'well.test.mjs': passing('it is well'),
    });
    assert.deepEqual(unfinished.length, 2);
    assert.match(unfinished[1] ?? '', /^well\.test\.mjs was not run/);
    // The runner cannot tell: what makes this run red is the sentence.
    assert.equal(code, 0);
  });
});
