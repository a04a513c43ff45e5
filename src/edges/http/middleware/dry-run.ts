import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../../../kernel/refusal.ts';

/** Whether a request only asks what it would cost (`X-Dry-Run`). Throws INVALID_REQUEST for a value with no meaning. */
export const isDryRun = (headers: IncomingHttpHeaders): boolean => {
  switch (headers['x-dry-run']) {
    case '1':
    case 'true':
      return true;
    case undefined:
    case '0':
    case 'false':
      return false;
    default:
      throw invalidRequest('X-Dry-Run takes 1 or 0.', { path: 'X-Dry-Run', code: 'malformed' });
  }
};
