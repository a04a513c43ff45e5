import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { variables } from '#src/config.ts';

const compose = readFileSync('infra/compose.yaml', 'utf8');
const dockerfile = readFileSync('infra/Dockerfile', 'utf8');
const ofImages = ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'NODE_ENV'];

describe('the set-up with containers', () => {
  it('sets only variables that the program knows', () => {
    const inCompose = [...compose.matchAll(/^ {4,6}([A-Z][A-Z_]+):/gm)].map(([, name]) => name);
    const inImage = [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/([A-Z_]+)=/g)].map(
      ([, name]) => name,
    );
    assert.ok(inCompose.length >= 8 && inImage.length >= 3);
    for (const name of [...inCompose, ...inImage]) {
      assert.ok(
        name !== undefined && (name in variables || ofImages.includes(name)),
        `${name} is not known to config.ts`,
      );
    }
  });

  it('copies folders that exist, and runs the file that starts the program', () => {
    for (const [, from] of dockerfile.matchAll(/^COPY (?!--)(\S+) \.\//gm)) {
      assert.ok(from !== undefined && existsSync(from), `${from} is not there`);
    }
    assert.match(dockerfile, /src\/main\.ts/);
    assert.ok(existsSync('src/main.ts'));
  });

  it('looks after the health of who listens only', () => {
    const services = compose.split(/^ {2}(?=\w+:$)/m);
    const ofWorker = services.find((service) => service.startsWith('worker:')) ?? '';
    assert.match(dockerfile, /^HEALTHCHECK /m);
    assert.match(ofWorker, /^ {4}healthcheck: \{ disable: true \}$/m);
  });

  it('never runs as root', () => assert.match(dockerfile, /^USER 65532:65532$/m));
});
