/** The endpoint of a request; `reel` is the player endpoint of the apps. */
export type Endpoint =
  | 'player'
  | 'reel'
  | 'browse'
  | 'resolve_url'
  | 'visitor_id'
  | 'timedtext'
  | 'videoplayback'
  | 'feed'
  | 'page'
  | 'unknown';

/** What replaces or changes the answer. */
export type FaultKind =
  /** Any status with any body; `retryAfter` (seconds) as the header. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly retryAfter?: number;
    }
  /** An HTML page: captcha and sorry come with 429, consent with 200, unless a status is given. */
  | { readonly kind: 'html'; readonly page: 'sorry' | 'captcha' | 'consent'; readonly status?: number }
  /** A redirect to the sorry page, as blocked addresses get it. */
  | { readonly kind: 'redirect'; readonly location?: string }
  /** 200 with any JSON. */
  | { readonly kind: 'json'; readonly body: unknown }
  /** 200 with zero bytes. */
  | { readonly kind: 'empty' }
  /** The first part of the answer, as if it were all (the JSON does not end). */
  | { readonly kind: 'truncated'; readonly bytes?: number }
  /** The connection closes in the middle of the body. */
  | { readonly kind: 'cut'; readonly bytes?: number }
  /** The player answers about another video. */
  | { readonly kind: 'other_video'; readonly videoId: string }
  /** The right answer, later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** No answer at all, until the client disconnects. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' }
  /** The right answer in small pieces: `bytes` every `everyMs`. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  /** A body of so many bytes, 50 MB unless said; `isCompressed`: a few kilobytes on the wire. */
  | { readonly kind: 'huge'; readonly bytes?: number; readonly isCompressed?: boolean };

/** A fault for the next matching calls: `times` of them (default 1), after the first `skip`. */
export type Fault = {
  /** Absent: any. */
  readonly endpoint?: Endpoint;
  readonly videoId?: string;
  /** The playlist or channel of a `browse`. */
  readonly listId?: string;
  readonly client?: string;
  /** Only caption requests with a `tlang`. */
  readonly isTranslation?: boolean;
  readonly times?: number | 'always';
  readonly skip?: number;
  readonly does: FaultKind;
};

/** The properties of a request that plans match. */
export type SimulatedRequest = {
  readonly endpoint: Endpoint;
  readonly videoId: string | null;
  readonly listId: string | null;
  readonly client: string | null;
  readonly isTranslation: boolean;
};

const matches = (fault: Fault, asked: SimulatedRequest): boolean =>
  (fault.endpoint === undefined || fault.endpoint === asked.endpoint) &&
  (fault.videoId === undefined || fault.videoId === asked.videoId) &&
  (fault.listId === undefined || fault.listId === asked.listId) &&
  (fault.client === undefined || fault.client === asked.client) &&
  (fault.isTranslation === undefined || fault.isTranslation === asked.isTranslation);

/** Keeps plans in order of creation; the first match is consumed first. */
export const faultPlans = () => {
  let plans: { fault: Fault; left: number; skip: number }[] = [];
  return {
    add: (fault: Fault): void => {
      const left = fault.times === 'always' ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
      plans.push({ fault, left, skip: fault.skip ?? 0 });
    },
    take: (asked: SimulatedRequest): FaultKind | null => {
      for (const plan of plans) {
        if (plan.left < 1 || !matches(plan.fault, asked)) continue;
        if (plan.skip > 0) {
          plan.skip -= 1;
          continue;
        }
        plan.left -= 1;
        return plan.fault.does;
      }
      return null;
    },
    clear: (): void => {
      plans = [];
    },
  };
};
