import { ZodError } from 'zod';
import { statusOf } from '../../../contract/errors.ts';
import {
  invalidRequest,
  Refusal,
  type RefusalCode,
  type RefusalDetails,
  type WrongField,
} from '../../../kernel/refusal.ts';

/**
 * The content of an error response. `isFault`: an internal error, logged with its cause. `isOutage`: something that the
 * service depends on refused the work, such as a database that is away or whose disk is full.
 */
export type Failure = {
  readonly status: number;
  readonly code: RefusalCode | 'INTERNAL_ERROR';
  readonly message: string;
  readonly details: RefusalDetails | null;
  readonly retryAfterS: number | null;
  readonly isFault: boolean;
  readonly isOutage: boolean;
};

/** Whether an error says that the database could not be asked. */
export type IsUnavailable = (error: unknown) => boolean;

/** `Retry-After` in seconds while a part of the service is not available. */
const retryUnavailableS = 5;
const retryPlatformS = 30;

/** The Error shape of the specification, as bytes. */
export const errorBody = (failure: Failure, requestId: string): string =>
  JSON.stringify({
    error: { code: failure.code, message: failure.message, request_id: requestId, details: failure.details },
  });

/** The same error for another request id; `body` was made by `errorBody`. */
export const errorUnder = (requestId: string, body: Buffer): string => {
  const { error } = JSON.parse(body.toString()) as { readonly error: object };
  return JSON.stringify({ error: { ...error, request_id: requestId } });
};

/**
 * Maps an error to a response: a refusal as it is, an unavailable database to 503, a malformed request of the framework
 * to 400, everything else to 500.
 */
export const failureOf = (error: unknown, isUnavailable: IsUnavailable): Failure => {
  if (error instanceof Refusal) return ofRefusal(error);
  if (error instanceof ZodError) return ofRefusal(invalid(fieldsOf(error)));
  if (isCausedBy(error, isUnavailable)) {
    const message = 'A part of the service is not available right now. Please try again.';
    const refusal = new Refusal('SERVICE_UNAVAILABLE', message, null, retryUnavailableS);
    return { ...ofRefusal(refusal), isOutage: true };
  }
  if (isMalformedRequest(error)) {
    const message = 'The address of the request is malformed.';
    return ofRefusal(invalidRequest(message, { path: 'url', code: 'malformed' }));
  }
  return {
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'An internal error occurred; it was logged under this request id.',
    details: null,
    retryAfterS: null,
    isFault: true,
    isOutage: false,
  };
};

const ofRefusal = ({ code, message, details, retryAfterS }: Refusal): Failure => ({
  status: statusOf[code],
  code,
  message,
  details,
  retryAfterS: retryAfterS ?? defaultRetryAfterS(code, details),
  isFault: false,
  isOutage: false,
});

/** These codes always have a `Retry-After`. */
const defaultRetryAfterS = (code: RefusalCode, details: RefusalDetails | null): number | null => {
  if (!['PLATFORM_BLOCKED', 'PLATFORM_RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'NOT_READY'].includes(code)) {
    return null;
  }
  const stated = details?.['retry_after_s'];
  if (typeof stated === 'number' && stated > 0) return Math.ceil(stated);
  return code.startsWith('PLATFORM') ? retryPlatformS : retryUnavailableS;
};

/** The refusal of a request whose fields are wrong; names each of them (at most 20). */
export const invalid = (fields: readonly WrongField[]): Refusal => {
  const [first] = fields;
  const where = first?.path ?? 'body';
  const message = `${where} is not valid: ${first?.message ?? 'see the reference'}`;
  return new Refusal('INVALID_REQUEST', message, { fields: fields.slice(0, 20) });
};

/**
 * The fields that a schema refused, without their values; unknown fields one by one. For a text in place of a list,
 * only the wrong type is reported.
 */
export const fieldsOf = (error: ZodError): WrongField[] => {
  const { issues } = error;
  const ofOtherType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')));
  const reported = issues.filter(({ code, path }) => code === 'invalid_type' || !ofOtherType.has(path.join('.')));
  return reported.flatMap((issue) => {
    const { code, message } = issue;
    const places = code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return places.map((path) => ({ path: path.map(String).join('.').slice(0, longestPath) || 'body', code, message }));
  });
};

/** The caller chooses the names of fields, so their length is limited. */
const longestPath = 100;

/** Whether an error, or one of its causes (at most five deep), says that the database is not available. */
const isCausedBy = (error: unknown, isUnavailable: IsUnavailable): boolean => {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if (isUnavailable(cause)) return true;
    cause = cause.cause;
  }
  return false;
};

/** The router throws these for a path that cannot be decoded. */
const isMalformedRequest = (error: unknown): boolean =>
  error instanceof URIError || (error instanceof Error && 'status' in error && error.status === 400);
