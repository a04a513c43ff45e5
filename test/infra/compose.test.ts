import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compile } from 'proxy-addr';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, variables } from '#src/config.ts';

type Service = {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string }[];
  readonly command?: readonly string[];
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly profiles?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas: number };
  readonly volumes?: readonly string[];
};

const read = (path: string): string => readFileSync(path, 'utf8');
const { services } = parse(read('infra/compose.yaml'), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
};
const dockerfile = read('infra/Dockerfile').replaceAll('\\\n', ' ');
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

describe('the setup with containers', () => {
  it('sets only variables that the program knows, and passes on every other setting', () => {
    const inImage = [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/([A-Z_]+)=/g)];
    const names = [
      ...inImage.map(([, name = '']) => name).filter((name) => name !== 'NODE_ENV' && name !== 'HOME'),
      ...ours.flatMap(([, { environment = {} }]) => Object.keys(environment)),
    ];
    assert.ok(names.length > 20);
    assert.deepEqual(
      names.filter((name) => !(name in variables)),
      [],
    );
    assert.deepEqual(
      ours.map(([name, { env_file: file }]) => `${name} ${file?.[0]?.path}`),
      ['migrate .env', 'api .env', 'worker .env'],
    );
  });

  it('names images exactly: the version of the program, and the Node of the lock file', () => {
    const { version, dependencies } = JSON.parse(read('package.json'));
    for (const [name, { image }] of ours) assert.equal(image, `steno:${version}`, name);
    for (const [name, { image }] of Object.entries(services)) {
      assert.match(image ?? '', /^[a-z/]+:v?\d+\.\d+(\.\d+)?$/, name);
    }
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const node = `node:${dependencies.node}-slim`;
    assert.deepEqual(bases, [node, node]);
  });

  it('starts each service when those it needs are healthy, and restarts it when it ends', () => {
    for (const [name, service] of Object.entries(services)) {
      const isOnce = name === 'migrate';
      assert.equal(service.restart, isOnce ? 'no' : 'unless-stopped', name);
      // The image of the program has a health check of its own.
      const isChecked = service.healthcheck?.test !== undefined || service.build !== undefined;
      assert.ok(isChecked && service.healthcheck?.disable !== (isOnce ? undefined : true), name);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const wanted = other === 'migrate' ? 'service_completed_successfully' : 'service_healthy';
        assert.equal(condition, wanted, `${name} needs ${other}`);
      }
    }
    assert.equal(services['api']?.deploy?.replicas, 2);
    assert.deepEqual(Object.keys(services['nginx']?.depends_on ?? {}), ['api']);
  });

  it('considers Postgres healthy when it accepts connections from other containers', () => {
    const test = services['postgres']?.healthcheck?.test ?? [];
    assert.ok(test.join(' ').includes('pg_isready --host 127.0.0.1 '));
  });

  it('trusts what nginx reports about a caller, in each network that Docker may assign', () => {
    const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: services['api']?.environment?.['TRUSTED_PROXIES'] });
    const isTrusted = compile([...trustedProxies]);
    for (const nginx of ['172.18.0.8', '192.168.32.8', '10.89.0.8']) {
      assert.ok(isTrusted(nginx, 0), nginx);
    }
    assert.equal(isTrusted('203.0.113.8', 0), false);
  });

  it('runs as an unprivileged user, and writes to no file of the image', () => {
    assert.match(dockerfile, /^USER 65532:65532$/m);
    for (const [name, service] of ours) assert.equal(service.read_only, true, name);
  });

  it('copies what exists and what the context has, without the embedded database', () => {
    const kept = read('.dockerignore').split('\n');
    assert.ok(kept.includes('*') && kept.includes('**/.env'));
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    assert.ok(copied.includes('src') && copied.includes('package-lock.json'));
    for (const source of copied) {
      assert.ok(existsSync(source), `${source} is not there`);
      assert.ok(kept.includes(`!${source}`), `${source} is not in the context`);
    }
    assert.match(
      dockerfile,
      /npm ci --omit=dev --ignore-scripts .*rm -rf node_modules\/@embedded-.* node_modules\/typescript /,
    );
    assert.match(dockerfile, /^RUN node src\/start\.js [\s\S]*^ENTRYPOINT .*"src\/start\.js"/m);
  });

  it('mounts files that exist', () => {
    for (const [name, { volumes = [] }] of Object.entries(services)) {
      for (const volume of volumes.filter((one) => one.startsWith('./'))) {
        const [source = ''] = volume.split(':');
        assert.ok(existsSync(join('infra', source)), `${name}: ${source}`);
      }
    }
    for (const file of ['postgres/cloudnative-pg.yaml', 'grafana/provisioning/dashboards/steno.yaml']) {
      for (const { errors } of parseAllDocuments(read(`infra/${file}`))) {
        assert.deepEqual(errors, [], file);
      }
    }
  });

  it('considers only a responding process healthy', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/api/health' ? 200 : 404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const check = async (environment: Readonly<Record<string, string>>): Promise<number> => {
      const child = spawn(process.execPath, ['infra/healthcheck.mjs'], { env: environment });
      return Number((await once(child, 'exit'))[0]);
    };
    const health = () =>
      Promise.all([check({ PORT: port }), check({ ROLE: 'worker', METRICS_PORT: port }), check({ ROLE: 'worker' })]);
    assert.deepEqual(await health(), [0, 0, 0]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(await health(), [1, 1, 0]);
  });
});
