import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure, failureOf, failureReasons, isAboutUs, refusalOf, strongest } from '#src/extraction/failures.ts';
import { parsePlaylistId } from '#src/extraction/lists/list-reference.ts';
import { parseVideoId } from '#src/extraction/video-id.ts';
import { Refusal } from '#src/kernel/refusal.ts';

const told = { status: 'ERROR', reason: 'no', subreason: null };
const facts = { ...told, client: 'WEB' };

describe('a refusal of the engine', () => {
  it('has a reason, whether it is retryable and the message of the platform, but not the client', () => {
    const { code, details, retryAfterS } = refusalOf(failure('shape', facts, { path: 'captions' }));
    assert.deepEqual(
      { code, details, retryAfterS },
      {
        code: 'PLATFORM_CHANGED',
        details: { reason: 'shape', retryable: true, platform: told, path: 'captions' },
        retryAfterS: null,
      },
    );
    assert.deepEqual(refusalOf(failure('private')).details, { reason: 'private', retryable: false });
  });

  it('asks to wait as long as the platform does, from a second to an hour', () => {
    const waitOf = (asked: number | null) => {
      const { details, retryAfterS } = refusalOf(failure('rate_limited', null, {}, asked));
      assert.equal(details?.['retry_after_s'], retryAfterS);
      return retryAfterS;
    };
    assert.equal(waitOf(null), 60);
    assert.equal(waitOf(0), 1);
    assert.equal(waitOf(0.2), 1);
    assert.equal(waitOf(7.2), 8);
    assert.equal(waitOf(3_600), 3_600);
    assert.equal(waitOf(90_000), 3_600);
  });

  it('can be converted back to the failure that it was made of', () => {
    for (const reason of failureReasons) {
      const first = refusalOf(failure(reason, facts, { path: 'x' }, 12));
      const again = failureOf(first);
      assert.deepEqual(again, failure(reason, facts, { path: 'x' }, 12));
    }
    assert.equal(failureOf(new Refusal('NOT_FOUND', 'no')), null);
    assert.equal(failureOf(new Refusal('NOT_FOUND', 'no', { reason: 'toString' })), null);
    assert.equal(failureOf(new Refusal('NOT_FOUND', 'no', { reason: 7 })), null);
  });

  it('of several clients is reported as a block before a limit, a delay and a change', () => {
    const [block, limit, delay, change, video] = (
      ['bot_check', 'rate_limited', 'timeout', 'shape', 'private'] as const
    ).map((reason) => failure(reason));
    assert(block && limit && delay && change && video);
    const ordered = [block, limit, delay, change, video];
    for (let from = 0; from < ordered.length; from += 1) {
      const some = ordered.slice(from);
      assert.equal(strongest(some), some[0]);
      assert.equal(strongest(some.toReversed()), some[0]);
    }
    const first = failure('wrong_video');
    assert.equal(strongest([first, block]), first);
    assert.equal(strongest([]), null);
  });

  it('concerns this service if it names the platform, and the video otherwise', () => {
    assert.equal(isAboutUs('PLATFORM_BLOCKED'), true);
    assert.equal(isAboutUs('VIDEO_UNAVAILABLE'), false);
  });
});

describe('a reference', () => {
  it('is unwrapped twice and no further', () => {
    const wrapped = (inner: string) => `https://www.youtube.com/redirect?q=${encodeURIComponent(inner)}`;
    const plain = 'https://www.youtube.com/watch?v=abcdefghijk';
    assert.equal(parseVideoId(wrapped(wrapped(plain))), 'abcdefghijk');
    assert.equal(parseVideoId(wrapped(wrapped(wrapped(plain)))), null);
  });

  it('has at most 2,048 characters, including white space around it', () => {
    assert.equal(parseVideoId('abcdefghijk'.padStart(2_048)), 'abcdefghijk');
    assert.equal(parseVideoId('abcdefghijk'.padStart(2_049)), null);
    const list = `PL${'0'.repeat(32)}`;
    assert.equal(parsePlaylistId(list.padEnd(2_048)), list);
    assert.equal(parsePlaylistId(list.padEnd(2_049)), null);
  });
});
