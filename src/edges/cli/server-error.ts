import { z } from 'zod';

/** No response: the connection failed, broke or timed out. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(url: string, error: unknown) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${url} cannot be reached: ${why}`);
  }
}

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ServerError && error.isTemporary);

const Body = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    request_id: z.string().nullish(),
    details: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/** An error response, in the Error shape or (from a proxy) with a status only. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly retryAfterS: number | null;

  private constructor(message: string, told: Pick<ServerError, 'status' | 'code' | 'details' | 'retryAfterS'>) {
    super(message);
    this.status = told.status;
    this.code = told.code;
    this.details = told.details;
    this.retryAfterS = told.retryAfterS;
  }

  static of(url: string, status: number, headers: Headers, body: unknown): ServerError {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    const retryAfterS = Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
    const told = Body.safeParse(body);
    if (!told.success) {
      const parts = { status, code: `HTTP_${status}`, details: null, retryAfterS };
      return new ServerError(`${url} answered with status ${status}`, parts);
    }
    const { code, message, request_id: requestId, details = null } = told.data.error;
    const named = requestId == null ? code : `${code}, ${requestId}`;
    // The API speaks of the header, which whoever types here does not send.
    const said = code === 'INVALID_API_KEY' ? `${url} refuses the API key: steno login` : message;
    return new ServerError(`${said} (${named})`, { status, code, details, retryAfterS });
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 429 || this.status >= 500 || this.code === 'IDEMPOTENCY_IN_PROGRESS';
  }
}
