import { apiError } from './pages.ts';

/** A complete response, before delivery applies faults to it. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

export const json = (body: object, status = 200): Answer => ({
  status,
  contentType: 'application/json; charset=UTF-8',
  body: JSON.stringify(body),
});

export const html = (body: string, status = 200): Answer => ({ status, contentType: 'text/html; charset=utf-8', body });

export const notFound = (): Answer =>
  json(apiError(404, 'NOT_FOUND', 'Requested entity was not found.', 'notFound'), 404);

export const invalidArgument = (): Answer =>
  json(apiError(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', 'badRequest'), 400);
