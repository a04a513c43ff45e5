import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseError } from 'pg';
import { isUnavailable } from '#src/eventlog/unavailable-error.ts';

const internalError = (severity: string) =>
  Object.assign(new DatabaseError('could not write to log file', 0, 'error'), { severity, code: 'XX000' });

describe('an internal error of the database', () => {
  it('means that it is unavailable if its server stopped', () => {
    assert.equal(isUnavailable(internalError('PANIC')), true);
    assert.equal(isUnavailable(internalError('ERROR')), false);
  });
});
