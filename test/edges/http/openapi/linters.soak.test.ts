import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

const run = promisify(execFile);
const file = fileURLToPath(new URL('../../../../docs/openapi.json', import.meta.url));

describe('docs/openapi.json', () => {
  it('has no warning under the recommended rules of Redocly', async () => {
    const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
    const args = [redocly, 'lint', file, '--extends=recommended', '--format=json'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await run(process.execPath, args, { env });
    const { totals, problems } = JSON.parse(stdout);
    assert.deepEqual(problems, []);
    assert.deepEqual([totals.errors, totals.warnings, totals.ignored], [0, 0, 0]);
  });

  it('has no warning under the recommended rules of Spectral', async () => {
    const linter = new Spectral();
    linter.setRuleset({ extends: [oas as RulesetDefinition] });
    const found = await linter.run(JSON.parse(readFileSync(file, 'utf8')));
    assert.deepEqual(
      found.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
      [],
    );
  });
});
