/** What is known of an error that the service answered. */
export type ErrorFacts = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Seconds, as `Retry-After` says; null: it does not. */
  readonly retryAfter: number | null;
};

/** An error that the service answered. Each code has a class of its own; one that is not known here is a `StenoError`. */
export class StenoError extends Error {
  readonly status: number;
  readonly code: string;
  /** Names the request for whoever runs the service. */
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly retryAfter: number | null;

  constructor({ status, code, message, requestId, details, retryAfter }: ErrorFacts) {
    super(`${code}: ${message}${requestId === null ? '' : ` (${requestId})`}`);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** No answer came: the connection failed or took longer than `timeoutMs`. `cause` is what was thrown. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = new.target.name;
  }
}

/** A receipt that is not to be believed, or content that it is not for. */
export class ReceiptVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** A webhook that is not to be believed. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
