/** Where a call came in. It is stored with every event that the call causes. */
export type Channel = 'rest' | 'mcp' | 'web' | 'cli' | 'job' | 'system';

/** Who acts: a key, a signed-in user, a visitor without account, an operator, or the service itself. */
export type Actor = {
  readonly type: 'key' | 'user' | 'visitor' | 'operator' | 'system';
  readonly id: string;
};

/** One call of an application command: the caller, the request and its deadline. Every command takes it first. */
export type Call = {
  readonly accountId: string;
  readonly actor: Actor;
  readonly channel: Channel;
  /** With a key, the `X-Request-ID` that the caller may choose, so it decides nothing; on the web, made by the service. */
  readonly requestId: string;
  /** Decides that work is charged once: made here per request, or derived from an Idempotency-Key and its route. */
  readonly operationKey: string;
  /** Whether the operation can come again under its key, so that a charge whose answer was lost is found then. */
  readonly isRepeatable: boolean;
  /** The most credits that the key may spend in a billing period, null: as many as the account has. */
  readonly capCredits: number | null;
  readonly traceparent: string | null;
  /** Aborts when the caller is gone or its time is up. */
  readonly signal: AbortSignal;
};
