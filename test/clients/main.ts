import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startDemo } from '#test/support/demo.ts';
import { dataFolder } from '#test/support/program.ts';
import { inspect } from './inspector.ts';

const execute = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

type Place = { readonly folder: string; readonly env: NodeJS.ProcessEnv };

/** Runs a command, and says what it says. Rejects where it fails. */
const run = async (cwd: string, env: NodeJS.ProcessEnv, [command, ...args]: readonly [string, ...string[]]) => {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const [code] = await once(spawn(command, args, { cwd, env, stdio: 'inherit' }), 'exit');
  assert.equal(code, 0, `${command} ended with ${code}`);
};

/** A copy of a client without what was built in it. */
const copied = async (name: string, folder: string): Promise<string> => {
  const target = join(folder, name);
  const filter = (path: string): boolean => !/\/(node_modules|dist|__pycache__|\.mypy_cache)$/.test(path);
  await cp(join(repository, 'clients', name), target, { recursive: true, filter });
  return target;
};

/** The one file of a folder with this ending. */
const built = async (folder: string, ending: string): Promise<string> => {
  const found = (await readdir(folder)).filter((name) => name.endsWith(ending));
  assert.equal(found.length, 1, `${folder}: ${found}`);
  return join(folder, found[0] ?? '');
};

/** The blocks of a README in one language, in order. */
const blocks = async (client: string, language: string): Promise<readonly string[]> => {
  const text = await readFile(join(repository, 'clients', client, 'README.md'), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language} test\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );
};

/** Packs the TypeScript client, installs the tarball elsewhere, compiles and runs its tests and its README there. */
const testTypescript = async ({ folder, env }: Place): Promise<void> => {
  const client = await copied('typescript', folder);
  await run(client, env, ['npm', 'ci', '--ignore-scripts']);
  await run(client, env, ['npm', 'pack']);
  const consumer = join(folder, 'consumer');
  await mkdir(consumer);
  await writeFile(join(consumer, 'package.json'), '{"private": true, "type": "module"}');
  await run(consumer, env, ['npm', 'install', '--ignore-scripts', await built(client, '.tgz')]);
  await cp(join(repository, 'test', 'clients', 'typescript', 'client.ts'), join(consumer, 'client.ts'));
  const examples = await blocks('typescript', 'ts');
  assert.ok(examples.length > 0, 'the README has examples');
  const names = await Promise.all(
    examples.map(async (code, place) => {
      await writeFile(join(consumer, `readme-${place}.ts`), code);
      return `readme-${place}.ts`;
    }),
  );
  const compilerOptions = {
    ...{ target: 'es2024', lib: ['es2024', 'esnext.array', 'dom'], module: 'nodenext', strict: true, noEmit: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true },
    ...{ types: ['node'], typeRoots: [join(repository, 'node_modules', '@types')] },
  };
  await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await run(consumer, env, [join(client, 'node_modules', '.bin', 'tsc')]);
  for (const name of names) await run(consumer, env, [process.execPath, name]);
  await run(consumer, env, [process.execPath, '--test', 'client.ts']);
};

const pythonModules = ['httpx', 'cryptography', 'build', 'hatchling', 'mypy', 'venv'];

/** The first Python that has what the test needs. Throws with what each one lacks. */
const findPython = async (): Promise<string> => {
  const missing: string[] = [];
  for (const python of [process.env['PYTHON'] ?? 'python3', '/usr/bin/python3']) {
    const find = `import sys, importlib.util as u; print(" ".join(m for m in ${JSON.stringify(pythonModules)} if u.find_spec(m) is None) or (sys.version_info < (3, 11) and "Python-3.11" or ""))`;
    const lacks = await execute(python, ['-c', find]).then(
      ({ stdout }) => stdout.trim(),
      () => 'Python',
    );
    if (lacks === '') return python;
    missing.push(`${python} lacks ${lacks}`);
  }
  throw new Error(
    `the Python client cannot be tested: ${missing.join('; ')}. On Debian: apt-get install python3-venv python3-httpx python3-cryptography python3-build python3-hatchling mypy; PYTHON names another Python.`,
  );
};

/** Builds the Python client, installs the wheel elsewhere, checks types and runs its tests and its README there. */
const testPython = async (python: string, { folder, env }: Place): Promise<void> => {
  const client = await copied('python', folder);
  // The hatchling of Debian comes without what it needs for editable installs alone.
  await run(client, env, [python, '-m', 'build', '--no-isolation', '--skip-dependency-check']);
  await built(join(client, 'dist'), '.tar.gz');
  const consumer = join(folder, 'consumer');
  // httpx and cryptography are those of the machine: nothing is downloaded.
  await run(folder, env, [python, '-m', 'venv', '--system-site-packages', consumer]);
  const own = join(consumer, 'bin', 'python');
  await run(consumer, env, [
    own,
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-index',
    await built(join(client, 'dist'), '.whl'),
  ]);
  await cp(join(repository, 'test', 'clients', 'python', 'test_client.py'), join(consumer, 'test_client.py'));
  const examples = await blocks('python', 'python');
  assert.ok(examples.length > 0, 'the README has examples');
  for (const [place, code] of examples.entries()) {
    await writeFile(join(consumer, `readme_${place}.py`), code);
    await run(consumer, env, [own, `readme_${place}.py`]);
  }
  await run(client, env, [python, '-m', 'mypy', '--strict', 'src']);
  const users = (await readdir(consumer)).filter((name) => name.endsWith('.py'));
  await run(consumer, env, [python, '-m', 'mypy', '--strict', '--python-executable', own, ...users]);
  await run(consumer, env, [own, '-m', 'unittest', 'test_client']);
};

/**
 * `npm run test:clients`: builds the packages of `clients`, installs them from file and uses them against a demo, and asks
 * its `/mcp` by the Inspector; `-- python` or `-- typescript` tests one. It needs npm and its registry, and a Python with httpx.
 */
const main = async (): Promise<void> => {
  const python = await findPython();
  await using data = await dataFolder();
  await using demo = await startDemo(data.folder);
  const folder = await mkdtemp(join(tmpdir(), 'steno-clients-'));
  try {
    const env = {
      ...process.env,
      // The Node that this repository pins.
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      STENO_URL: demo.url,
      STENO_API_KEY: demo.lineOf('API key'),
    };
    const tests = { typescript: testTypescript, python: (place: Place) => testPython(python, place) };
    const wanted = process.argv.slice(2);
    for (const [name, test] of Object.entries(tests)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const own = join(folder, name);
      await mkdir(own);
      await test({ folder: own, env });
      console.log(`${name}: ok`);
    }
    if (wanted.length > 0) return;
    const owner = JSON.parse(await readFile(join(data.folder, 'demo', 'demo-account.json'), 'utf8'));
    await inspect(demo.url ?? '', env.STENO_API_KEY, env, owner);
    console.log('inspector: ok');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

await main();
