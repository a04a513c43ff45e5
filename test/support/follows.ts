import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestAccount, TestApp } from '#test/support/app.ts';

export type ShownFollow = {
  readonly id: string;
  readonly source: { readonly kind: 'channel' | 'playlist'; readonly id: string; readonly title: string | null };
  readonly status: string;
  readonly reason: string | null;
  readonly waiting_for: string | null;
  readonly credits_used: number;
  readonly feed_url: string;
  readonly next_look_at: string | null;
};

export type ShownVideo = {
  readonly video_id: string;
  readonly title: string | null;
  readonly status: string;
  readonly job_id: string | null;
  readonly error_code: string | null;
  readonly credits_charged: number;
  readonly charge_id: string | null;
  readonly due_at: string | null;
};

/** Asks again until the answer passes; fails with the last one after a minute. */
export const until = async <Answer>(
  ask: () => Promise<Answer>,
  passes: (answer: Answer) => boolean,
): Promise<Answer> => {
  for (let tries = 0; ; tries += 1) {
    const answer = await ask();
    if (passes(answer)) return answer;
    assert.ok(tries < 1_200, JSON.stringify(answer));
    await pause(50);
  }
};

/** What tests do with the follows of one account. */
export const follower = (app: TestApp, { key }: Pick<TestAccount, 'key'>) => {
  const answer = async <Body>(status: number, sent: Promise<Response>): Promise<Body> => {
    const got = await sent;
    const text = await got.text();
    assert.equal(got.status, status, text);
    return (text === '' ? null : JSON.parse(text)) as Body;
  };
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${app.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const videos = async (followId: string): Promise<readonly ShownVideo[]> =>
    (await answer<{ videos: ShownVideo[] }>(200, send('GET', `/v1/follows/${followId}/videos`))).videos;
  return {
    send,
    answer,
    videos,
    follow: (source: string, more: object = {}): Promise<ShownFollow> =>
      answer(201, send('POST', '/v1/follows', { source, max_credits_per_period: 100, ...more })),
    read: (followId: string): Promise<ShownFollow> => answer(200, send('GET', `/v1/follows/${followId}`)),
    /** Waits until so many videos have one of these statuses. */
    count: (followId: string, count: number, ...statuses: readonly string[]): Promise<readonly ShownVideo[]> =>
      until(
        () => videos(followId),
        (all) => all.filter(({ status }) => statuses.includes(status)).length >= count,
      ),
  };
};

/** Looks at the source of a follow at once, however young the last look is. */
export const lookAt = async ({ core }: TestApp, { source }: Pick<ShownFollow, 'source'>): Promise<void> =>
  core.work.lookAtSource({ source: `${source.kind}:${source.id}` }, { signal: AbortSignal.timeout(60_000) });
