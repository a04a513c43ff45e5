import assert from 'node:assert/strict';
import { workerData } from 'node:worker_threads';

// The other end of `apart`.
const { module, name }: { module: string; name: string } = workerData;
const { [name]: work } = await import(module);
assert.equal(typeof work, 'function', `${module} exports no function ${name}`);
await work();
