import assert from 'node:assert/strict';

/** The error body of the API. */
export type ApiError = {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
    readonly details: Readonly<Record<string, unknown>> | null;
  };
};

/** Returns the error of a response after checking its shape and its request id. */
export const errorIn = async (answer: Response): Promise<ApiError['error']> => {
  const { error, ...rest } = (await answer.json()) as ApiError;
  assert.deepEqual(rest, {});
  assert.deepEqual(Object.keys(error).sort(), ['code', 'details', 'message', 'request_id']);
  assert.equal(error.request_id, answer.headers.get('X-Request-ID'));
  return error;
};

/** Status, error code and charged credits of a refusal. */
export const refusalIn = async (answer: Response): Promise<readonly [number, string, string | null]> => [
  answer.status,
  (await errorIn(answer)).code,
  answer.headers.get('X-Credits-Charged'),
];

/** The JSON of a response that must be 200. */
export const jsonIn = async <Body>(answer: Response): Promise<Body> => {
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Body;
};

export type TranscriptJson = {
  readonly video_id: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly requested_language: string | null;
  readonly source: string;
  readonly segment_count: number;
  readonly segments: readonly { readonly text: string; readonly start: number; readonly duration: number }[];
};

export type UsageJson = {
  readonly plan: string;
  readonly credits_remaining: number;
  readonly credits_reserved: number;
  readonly rate_limit_per_min: number | null;
  readonly period_days: number;
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly credits_used: number;
  readonly by_kind: readonly { readonly kind: string; readonly count: number; readonly credits: number }[];
  readonly daily: readonly { readonly day: string; readonly count: number; readonly credits: number }[];
};

export type EntryJson = {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly version: string;
  readonly position: string;
  readonly occurred_at: string;
  readonly request_id: string | null;
  readonly schema_version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly prev_hash: string;
  readonly hash: string;
};
