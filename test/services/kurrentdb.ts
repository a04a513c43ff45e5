import { describe } from 'node:test';
import { keepsEvents } from '#test/support/kurrent-contract.ts';

const url = process.env['TEST_EVENTSTORE_URL'] ?? '';

describe('a real KurrentDB', () => keepsEvents(() => url));
