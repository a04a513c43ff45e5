import type { Endpoint } from '../../../contract/endpoint.ts';

const prefix = '/v1/';

/** Whether scripts of other origins may call this path. */
export const isCrossOrigin = (path: string): boolean => path.startsWith(prefix);

/** Of every response that can have them, whatever the endpoint. */
const readAnywhere = [
  ...[
    'X-Request-ID',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
  ],
  ...['Retry-After', 'X-Credits-Charged', 'Idempotent-Replayed', 'Deprecation', 'Sunset', 'Link'],
];

const sentAnywhere = [
  ...['Authorization', 'X-API-Key', 'Content-Type', 'Idempotency-Key', 'X-Cost-Tag', 'X-Dry-Run', 'X-Request-ID'],
  'traceparent',
];

/** Headers of responses that scripts of other origins may read: the common ones and those of the contract. */
export const exposedHeaders = (endpoints: readonly Endpoint[]): string => {
  const answers = endpoints
    .filter(({ path }) => isCrossOrigin(path))
    .flatMap((endpoint) => Object.values<Endpoint['answers'][number]>(endpoint.answers));
  return listOf(
    readAnywhere,
    answers.flatMap(({ headers = {} }) => Object.keys(headers)),
  );
};

/** Headers that such scripts may send to these endpoints. */
export const allowedHeaders = (endpoints: readonly Endpoint[]): string =>
  listOf(
    sentAnywhere,
    endpoints.flatMap(({ requestHeaders = {} }) => Object.keys(requestHeaders)),
  );

const listOf = (...names: readonly (readonly string[])[]): string => [...new Set(names.flat())].join(', ');
