import { describe, it } from 'node:test';
import { killWorkers } from '#test/support/killed-workers.ts';

describe('a worker that is killed', () => {
  it('at a random point loses nothing: every item is read, is charged once, and one webhook is sent', () =>
    killWorkers(1, 1));
});
