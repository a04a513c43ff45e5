import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

type LockEntry = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
};
type Manifest = Readonly<Record<'dependencies' | 'devDependencies', Record<string, string>>>;
type LicenseFields = { readonly license?: string; readonly licenses?: readonly { type: string }[] };

const root = new URL('../', import.meta.url);
const read = <Shape>(path: string): Shape => JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Shape;
const { packages } = read<{ packages: Record<string, LockEntry> }>('package-lock.json');
const locked = Object.entries(packages).filter(([path]) => path !== '');

/** Licences under which the program may be passed on without asking anybody; `A OR B`: one of them is enough. */
const allowed = new Set([
  ...['MIT', 'MIT-0', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense'],
  // Of fonts: they may be served with any program.
  'OFL-1.1',
  ...['Python-2.0', 'BlueOak-1.0.0', 'CC0-1.0', 'PostgreSQL'],
]);

/** What is published without a word about its licence: its terms are known from its repository only. */
const silent = ['node_modules/@event-driven-io/emmett'];

describe('the dependency tree', () => {
  // S81: packages and licences
  it('is locked: one lock file has the version and integrity hash of each package', () => {
    const others = /^(yarn\.lock|pnpm-lock\.yaml|npm-shrinkwrap\.json|bun\.lockb?)$/;
    assert.deepEqual(
      readdirSync(root).filter((name) => others.test(name)),
      [],
    );
    assert.ok(locked.length > 100);
    for (const [path, { version, integrity, link }] of locked) {
      assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, path);
      assert.match(version ?? '', /^\d+\.\d+\.\d+/, path);
      assert.notEqual(link, true, path);
    }
  });

  // S81: packages and licences
  it('comes only from the registry, in exact versions', () => {
    for (const [path, { resolved = '' }] of locked) {
      assert.doesNotMatch(resolved, /^(git|http:|file:|ssh:)|github\.com/, path);
    }
    const { dependencies, devDependencies } = read<Manifest>('package.json');
    for (const [name, wanted] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(wanted, /^\d+\.\d+\.\d+[\w.-]*$/, name);
      assert.equal(packages[`node_modules/${name}`]?.version, wanted, name);
    }
  });

  // S81: packages and licences
  it('may be redistributed: every production package has a licence that allows it', () => {
    const production = locked.filter(([, { dev }]) => dev !== true);
    const unsaid: string[] = [];
    for (const [path, { optional }] of production) {
      const manifest = `${path}/package.json`;
      // Binaries for other systems are not installed here.
      if (optional === true && !existsSync(new URL(manifest, root))) continue;
      const { license, licenses = [] } = read<LicenseFields>(manifest);
      if (license === undefined && licenses.length === 0) {
        unsaid.push(path);
        continue;
      }
      const names = (license ?? licenses.map(({ type }) => type).join(' OR ')).replace(/[()]/g, '').split(' OR ');
      assert.ok(
        names.some((name) => name.split(' AND ').every((one) => allowed.has(one.trim()))),
        `${path}: ${names.join()}`,
      );
    }
    assert.deepEqual(unsaid, silent);
  });
});
