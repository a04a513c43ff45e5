/** A request as it is meant: the address always names the platform itself, wherever the adapter sends it. */
export type PlatformRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** A body that is longer, after decompression, is cut off and refused as `too_large`. */
  readonly maxBytes: number;
  /** The body of the answer is no text: it is given with one character (latin1) for each byte. */
  readonly isBinary?: boolean;
};

export type PlatformResponse = {
  readonly status: number;
  readonly body: string;
  /** `Location` of a redirect, which is never followed. */
  readonly location: string | null;
  readonly retryAfterS: number | null;
  /** What the answer is marked with, for a request that asks whether it has changed. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Names the egress that was used, for `penalize`. */
  readonly egress: string;
};

/** `unreachable`: no connection could be made, for want of a name, a route or a server. */
export type PlatformFaultKind = 'timeout' | 'unreachable' | 'connection' | 'too_large' | 'busy';

/** No answer came: the one kind of error, besides an abort by the caller, that a platform may throw. */
export class PlatformFault extends Error {
  readonly kind: PlatformFaultKind;

  constructor(kind: PlatformFaultKind, cause?: unknown) {
    super(`the platform gave no answer: ${kind}`, { cause });
    this.name = 'PlatformFault';
    this.kind = kind;
  }
}

export type PlatformOptions = {
  /** Aborts when nobody waits any more; the request then throws the signal's reason. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
};

/**
 * The token that proves to the platform where a request for captions comes from, for a client and a video; null where
 * there is none. It is asked for only where the platform wants one, and must not throw.
 */
export type ProofOfOrigin = (
  wanted: { readonly videoId: string; readonly clientName: string },
  options: { readonly signal: AbortSignal },
) => Promise<string | null>;

/** The video platform, as far as the engine needs it: requests out, bounded answers in, redirects not followed. */
export type Platform = {
  readonly mode: 'direct' | 'proxy' | 'fixture';
  request(request: PlatformRequest, options: PlatformOptions): Promise<PlatformResponse>;
  /** The platform turned against this egress: others are preferred for a while. Tells whether there is another. */
  penalize(egress: string, forMs: number): boolean;
  /** Closes connections. */
  close(): Promise<void>;
};
