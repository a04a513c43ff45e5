import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { camel, errorClass, iteratorName, snake, wordsOf } from '../../clients/generate/description.ts';
import { generatedFiles } from '../../clients/generate/files.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the clients', () => {
  it('are generated from the current description', () => {
    for (const [path, text] of generatedFiles()) {
      assert.ok(read(path) === text, `${path} is old: npm run clients writes it anew`);
    }
  });

  it('contain no file that the generator no longer writes', () => {
    const made = generatedFiles();
    const found = globSync('clients/*/src/**/generated/*', { cwd: root.pathname, exclude: ['**/__pycache__'] });
    assert.deepEqual(
      found.filter((path) => !made.has(path)),
      [],
    );
    assert.ok(found.length > 8);
  });

  it('have the version of the server', () => {
    const { version } = JSON.parse(read('package.json'));
    assert.equal(JSON.parse(read('clients/typescript/package.json')).version, version);
    assert.equal(JSON.parse(read('clients/typescript/package-lock.json')).version, version);
  });

  it('use the naming conventions of their languages', () => {
    assert.deepEqual(wordsOf('getJobResults'), ['get', 'job', 'results']);
    assert.equal(snake('getJobResults'), 'get_job_results');
    assert.equal(camel('Idempotency-Key'), 'idempotencyKey');
    assert.equal(iteratorName('listJobs'), 'iterateJobs');
    assert.equal(iteratorName('getJobResults'), 'iterateJobResults');
    assert.equal(errorClass('VIDEO_NOT_FOUND'), 'VideoNotFoundError');
    assert.equal(errorClass('INTERNAL_ERROR'), 'InternalError');
  });
});
