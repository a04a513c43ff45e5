import { newId } from './ids.ts';

/** Where a call came in. It is stored with every event that the call causes. */
export type Channel = 'rest' | 'mcp' | 'web' | 'cli' | 'job' | 'system';

/**
 * Who acts: a key, an application that a user has authorized, a signed-in user, a visitor without account, an operator, or
 * the service itself.
 */
export type Actor = {
  readonly type: 'key' | 'authorization' | 'user' | 'visitor' | 'operator' | 'system';
  readonly id: string;
};

/** What a visitor without account may spend on this day: it has a book, and so has its address. */
export type Allowance = {
  /** Whether the visitor has a book: its first charge opens it. */
  readonly hasBook: () => Promise<boolean>;
  readonly openBook: () => Promise<void>;
  /** Holds credits of the address. Throws INSUFFICIENT_CREDITS. */
  readonly hold: (credits: number) => Promise<void>;
  readonly release: (credits: number) => Promise<void>;
  /** Names the visitor on every day. */
  readonly reader: string;
  /** The visitor came without a valid cookie: each such request has a new `reader`. */
  readonly isNew: boolean;
};

/** What the user allowed an authorized application to spend: credits on each UTC day, and in all. */
export type Budget = { readonly creditsPerDay: number; readonly creditsTotal: number };

/** One call of an application command: the caller, the request and its deadline. Every command takes it first. */
export type Call = {
  readonly accountId: string;
  readonly actor: Actor;
  /** The network of a visitor, as rate limits count it. */
  readonly network?: string;
  readonly channel: Channel;
  /** With a key, the `X-Request-ID` that the caller may choose, so it decides nothing; on the web, made by the service. */
  readonly requestId: string;
  /** Decides that work is charged once: made here per request, or derived from an Idempotency-Key and its route. */
  readonly deduplicationKey: string;
  /** Whether the call can come again under its key, so that a charge whose answer was lost is found then. */
  readonly isRepeatable: boolean;
  /** An answer of an earlier attempt was sent: its charges are not refunded as lost. Absent: none was. */
  readonly wasAnswered?: boolean;
  /** To what the caller assigns the cost (`X-Cost-Tag`); absent: it said nothing. */
  readonly costTag?: string;
  /** The authorization of an application that acts for its owner; absent: a key or a person acts. */
  readonly authorizationId?: string;
  /** The most credits that the key may spend in the window of its cap, null: as many as the account has. */
  readonly capCredits: number | null;
  /** The window of the cap; absent: the billing period. */
  readonly capPeriod?: 'day' | 'week' | 'period';
  /** Shares of the cap, in percent and rising, at which its owner is warned; absent: none. */
  readonly warnAt?: readonly number[];
  /** Of an authorized application; absent for everybody else. */
  readonly budget?: Budget;
  /** Throws when the authorization of the call has ended since it began; absent: nothing else can end it. */
  readonly requireAuthorized?: () => Promise<void>;
  readonly traceparent: string | null;
  /** Of a visitor without account; absent for everybody else. */
  readonly allowance?: Allowance;
  /** Aborts when the caller is gone or its time is up. */
  readonly signal: AbortSignal;
};

/** A call that no request makes: its request id is new, and also decides that its work is charged once. */
export const callWithoutRequest = (
  by: Pick<Call, 'accountId' | 'actor' | 'channel' | 'traceparent' | 'signal'>,
): Call => {
  const requestId = newId('req');
  return { ...by, requestId, deduplicationKey: requestId, isRepeatable: false, capCredits: null };
};

/** Whose share of what is limited a call takes: that of its account, or of the network that visitors come from. */
export const callerOf = ({ accountId, network }: Pick<Call, 'accountId' | 'network'>): string => network ?? accountId;

/** Under whose name it is kept what was paid for: the account, or a visitor on every day. */
export const readerOf = ({ accountId, allowance }: Pick<Call, 'accountId' | 'allowance'>): string =>
  allowance?.reader ?? accountId;
