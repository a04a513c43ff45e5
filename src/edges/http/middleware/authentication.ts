import type { IncomingHttpHeaders } from 'node:http';
import type { KeyScope } from '../../../contract/key-scopes.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { RequestInfo } from './route.ts';

/** RFC 6750: the scheme, one or more spaces, visible characters. */
const bearerForm = /^bearer +([\x21-\x7e]{1,200})$/i;
const bareForm = /^[\x21-\x7e]{1,200}$/;

/**
 * The API key of a request, or null. `Authorization` wins over `X-API-Key`, also when it is malformed: a fallback would
 * use a credential that the caller did not mean. Never from query or cookie.
 */
export const secretOf = (headers: IncomingHttpHeaders): string | null => {
  const { authorization } = headers;
  if (authorization !== undefined) return bearerForm.exec(authorization)?.[1] ?? null;
  const bare = headers['x-api-key'];
  return typeof bare === 'string' && bareForm.test(bare) ? bare : null;
};

/** Refuses what the key of a request is not for (FORBIDDEN). */
export const requireScope = ({ scopes }: Pick<RequestInfo, 'scopes'>, scope: KeyScope): void => {
  if (scopes.length === 0 || scopes.includes(scope)) return;
  throw new Refusal('FORBIDDEN', `This key has no scope "${scope}".`, { required: scope });
};
