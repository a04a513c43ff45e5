import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Engine, Extraction, Listing } from '#src/extraction/captions/caption-track.ts';
import { listSource } from '#src/jobs/list-source.ts';
import type { Call } from '#src/kernel/call.ts';
import { Refusal, type RefusalCode } from '#src/kernel/refusal.ts';
import { readBatch } from '#src/transcripts/read-batch.ts';
import { readRaw, readTranscript } from '#src/transcripts/read-transcript.ts';
import { showTranscript } from '#src/transcripts/show-transcript.ts';
import { wordCounter } from '#src/transcripts/tokens.ts';
import { admitAll, booksOf, callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const videoId = 'abcdefghijk';

const track = {
  id: '.en',
  language: 'en',
  name: 'English',
  kind: 'manual',
  isTranslatable: true,
  isRightToLeft: false,
} as const;

const extraction: Extraction = {
  video: { videoId, title: null, channel: null, channelId: null, durationS: 3, isLive: false },
  tracks: [track],
  track,
  requestedLanguage: null,
  matchedBy: 'default',
  segments: [{ text: 'first', startMs: 0, durationMs: 1_000, endMs: 1_000 }],
  contentSha256: '0'.repeat(64),
  fetchedAt: '2026-01-10T09:00:00.000Z',
  isCacheHit: true,
};

/** Captions that are there and cannot be shaped: a fault of ours. */
const unshapable: Extraction = {
  ...extraction,
  get segments(): never {
    throw new Error('cannot be shaped');
  },
};

type ReadingEngine = Pick<Engine, 'extract' | 'listTracks' | 'readVideo' | 'listPlaylist' | 'listChannel'>;

const listing: Listing = {
  playlistId: `PL${'0'.repeat(32)}`,
  title: null,
  channel: null,
  channelId: null,
  handle: null,
  expected: 0,
  hidden: null,
  isTruncated: false,
  hasMore: false,
  videos: [],
};

/** An engine that answers whatever became of its caller, as one does that has the captions at hand. */
const engineWith = (found: Extraction): ReadingEngine => ({
  extract: async () => found,
  listTracks: async () => ({ ...found, defaultTrackId: null }),
  readVideo: async () => ({ ...found, defaultTrackId: null }),
  listPlaylist: async () => listing,
  listChannel: async () => listing,
});

const refusing =
  (code: RefusalCode): (() => Promise<never>) =>
  async () => {
    throw new Refusal(code, 'It cannot be read.');
  };

const opened = async () => {
  const { clock } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { clock });
  const ledger = ledgerOn(log, { clock });
  const spent = async () => (await booksOf(log, account)).flat().filter(({ type }) => type === 'CreditsCharged').length;
  const remaining = async (call: Call) => (await ledger.balance(call, { fresh: true })).remaining;
  const paid = { note: () => {}, of: async () => [] };
  const keeper = { wants: async () => false, prepare: async () => {}, keep: async () => {} };
  const tokens = wordCounter({ name: 'words', load: async () => () => 1 });
  return { clock, log, ledger, admit: admitAll, paid, keeper, tokens, spent, remaining, onFault: () => {} };
};

/** Everything that reads captions for credits. */
const reads: Readonly<
  Record<string, (deps: Awaited<ReturnType<typeof opened>> & { engine: ReadingEngine }, call: Call) => Promise<unknown>>
> = {
  'a transcript': (deps, call) =>
    readTranscript(deps)(call, { reference: videoId, language: null, format: 'txt', timestamps: false, clean: true }),
  'raw captions': (deps, call) => readRaw(deps)(call, { reference: videoId, language: null }),
  'a batch': (deps, call) => readBatch(deps)(call, { references: [videoId], ...plainly }),
  'a listing': (deps, call) => listSource(deps)(call, { kind: 'playlist', reference: listing.playlistId, limit: 10 }),
};

const plainly = { language: null, format: 'json', timestamps: false, clean: true } as const;

describe('the charge for a reading', () => {
  it('names its content by one hash in every format, and the parameters of the request', async () => {
    const { log, ...deps } = await opened();
    const read = { ...deps, engine: engineWith(extraction) };
    const wanted = { reference: videoId, language: null, timestamps: false, clean: false } as const;
    await readTranscript(read)(callOf(account, { deduplicationKey: '1' }), { ...wanted, format: 'json' });
    const srt = { ...wanted, language: 'en', format: 'srt', clean: true } as const;
    await readTranscript(read)(callOf(account, { deduplicationKey: '2', costTag: 'team a' }), srt);
    const [plain, asSrt] = (await booksOf(log, account)).flat().slice(-2);
    const canonical = `{"language":"en","segments":[{"duration":1,"start":0,"text":"first"}],"source":"manual","video_id":"${videoId}"}`;
    const contentSha256 = createHash('sha256').update(canonical).digest('hex');
    const pricedBy = { isRecognized: false };
    assert.partialDeepStrictEqual(plain?.data, { contentSha256, format: 'json', pricedBy });
    assert.partialDeepStrictEqual(asSrt?.data, {
      ...{ contentSha256, format: 'srt', costTag: 'team a' },
      options: { lang: 'en', clean: true },
    });
  });

  for (const [what, read] of Object.entries(reads)) {
    it(`is not made when the caller of ${what} left before it`, async () => {
      const deps = await opened();
      const gone = callOf(account, { signal: AbortSignal.abort() });

      await assert.rejects(read({ ...deps, engine: engineWith(extraction) }, gone));
      assert.equal(await deps.spent(), 0);
    });

    it(`is made once for ${what} that is requested twice under one operation`, async () => {
      const deps = await opened();
      const call = callOf(account);
      await read({ ...deps, engine: engineWith(extraction) }, call);
      await read({ ...deps, engine: engineWith(extraction) }, call);
      assert.equal(await deps.spent(), 1);
    });
  }

  it('is not made for captions that cannot be shown', async () => {
    const deps = await opened();
    const engine = engineWith(unshapable);
    await assert.rejects(async () => reads['a transcript']?.({ ...deps, engine }, callOf(account)));
    await reads['a batch']?.({ ...deps, engine }, callOf(account));
    assert.equal(await deps.spent(), 0);
  });

  for (const what of ['a transcript', 'raw captions', 'a batch'] as const) {
    it(`is refunded once when ${what} is requested again after a crash and can no longer be read`, async () => {
      const deps = await opened();
      const call = callOf(account, { isRepeatable: true });
      const before = await deps.remaining(call);
      await reads[what]?.({ ...deps, engine: engineWith(extraction) }, call);
      assert.equal(await deps.remaining(call), before - 1);
      const gone = { ...engineWith(extraction), extract: refusing('VIDEO_NOT_FOUND') };
      for (let again = 0; again < 2; again += 1) {
        await Promise.allSettled([reads[what]?.({ ...deps, engine: gone }, call)]);
      }
      assert.equal(await deps.remaining(call), before);
    });
  }

  it('that was refunded on a repeat is not reported by a later repeat, which returns the video for free', async () => {
    const deps = await opened();
    const call = callOf(account, { isRepeatable: true });
    const before = await deps.remaining(call);
    const well = { ...deps, engine: engineWith(extraction) };
    const gone = { ...deps, engine: { ...well.engine, extract: refusing('VIDEO_NOT_FOUND') } };
    const references = [videoId, 'oHg5SJYRHA0'];
    const batch = { references, ...plainly };
    await readBatch(well)(call, { ...batch, references: [videoId] });
    await readBatch(gone)(call, batch);
    const { items, creditsCharged } = await readBatch(well)(call, batch);
    assert.deepEqual(
      items.map((item) => [item.status, item.creditsCharged, item.chargeId === null]),
      [
        ['complete', 0, true],
        ['complete', 1, false],
      ],
    );
    assert.equal(creditsCharged, 1);
    assert.equal(await deps.remaining(call), before - 1);

    const single = callOf(account, { isRepeatable: true, deduplicationKey: 'single' });
    for (const engine of [well, gone, well]) {
      await Promise.allSettled([reads['a transcript']?.(engine, single)]);
    }
    const told = await reads['a transcript']?.(well, single);
    assert.deepEqual(told, { ...(told as object), creditsCharged: 0, eventId: null });
    assert.equal(await deps.remaining(call), before - 1);
  });

  for (const kind of ['playlist', 'channel'] as const) {
    it(`is refunded once and completely when a ${kind} is requested again after a crash and is gone`, async () => {
      const deps = await opened();
      const call = callOf(account, { isRepeatable: true });
      const before = await deps.remaining(call);
      const list = (found: () => Promise<Listing>) => {
        const engine = { ...engineWith(extraction), listPlaylist: found, listChannel: found };
        const reference = kind === 'playlist' ? listing.playlistId : '@somebody';
        return listSource({ ...deps, engine })(call, { kind, reference, limit: 500 });
      };
      const video = { videoId, title: null, durationS: null, position: 1, availability: 'public' } as const;
      await list(async () => ({ ...listing, videos: Array.from({ length: 101 }, () => video) }));
      assert.equal(await deps.remaining(call), before - 2);
      for (const code of ['PLATFORM_BLOCKED', `${kind.toUpperCase()}_NOT_FOUND`] as RefusalCode[]) {
        assert.equal(await deps.remaining(call), before - 2);
        await assert.rejects(list(refusing(code)), { code });
      }
      await assert.rejects(list(refusing('PLAYLIST_NOT_FOUND')));
      assert.equal(await deps.remaining(call), before);
    });
  }

  it('stays while a later attempt may still return what it paid for', async () => {
    const deps = await opened();
    const call = callOf(account, { isRepeatable: true });
    const before = await deps.remaining(call);
    await reads['a transcript']?.({ ...deps, engine: engineWith(extraction) }, call);
    const blocked = { ...engineWith(extraction), extract: refusing('PLATFORM_BLOCKED') };
    await assert.rejects(async () => reads['a transcript']?.({ ...deps, engine: blocked }, call));
    assert.equal(await deps.remaining(call), before - 1);
  });

  describe('of a page with chapters', () => {
    const chapters = { what: videoId, operation: 'chapters', amount: 3, requests: 1, videoId } as const;
    const part = { quote: [chapters], run: async () => ({ made: null, charges: [chapters] }) };
    /** Shows the page to a reader who has paid for `paidFor`. */
    const show = (
      deps: Awaited<ReturnType<typeof opened>>,
      engine: ReadingEngine,
      isConfirmed: boolean,
      paidFor = '',
    ) => {
      const entry = { videoId, contentSha256: paidFor, language: 'en' };
      const paid = { ...deps.paid, of: async () => (paidFor === '' ? [] : [entry]) };
      return showTranscript({ ...deps, paid, engine: { ...engine, knownTranscript: async () => null } })(
        callOf(account, { isRepeatable: true }),
        {
          ...{ reference: videoId, ...plainly, agreedCredits: 1, isConfirmed },
          ...{ recognizesSpeech: false, paidSha256: null, quotedSecond: null },
        },
        part,
      );
    };

    for (const isConfirmed of [true, false]) {
      const how = isConfirmed ? 'confirmed' : 'not confirmed';
      it(`that is sent again is refunded as a whole when the video is gone: ${how}`, async () => {
        const deps = await opened();
        const before = await deps.remaining(callOf(account));
        await show(deps, engineWith(extraction), isConfirmed);
        assert.equal(await deps.remaining(callOf(account)), before - 4);
        const gone = { ...engineWith(extraction), extract: refusing('VIDEO_NOT_FOUND') };
        await assert.rejects(show(deps, gone, isConfirmed, extraction.contentSha256), { code: 'VIDEO_NOT_FOUND' });
        assert.equal(await deps.remaining(callOf(account)), before);
      });
    }

    it('that is sent again is that of the chapters, if speech is shown that was paid for elsewhere', async () => {
      const deps = await opened();
      const before = await deps.remaining(callOf(account));
      await show(deps, engineWith(extraction), true);
      const heard = engineWith({ ...extraction, track: { ...track, kind: 'recognized' } });
      const shown = await show(deps, heard, true, `asr:${extraction.contentSha256}`);
      assert.equal(shown.kind === 'shown' && shown.creditsCharged, 3);
      assert.equal(await deps.remaining(callOf(account)), before - 3);
    });
  });

  it('of a batch that is sent again after a crash is the charge of the videos it can show', async () => {
    const deps = await opened();
    const call = callOf(account, { isRepeatable: true });
    const before = await deps.remaining(call);
    const references = [videoId, 'bbbbbbbbbbb', 'ccccccccccc'];
    const input = { references, ...plainly };
    const refusingOnly = (gone: string): ReadingEngine => ({
      ...engineWith(extraction),
      extract: async (wanted) => {
        if (wanted.videoId === gone) throw new Refusal('PLATFORM_BLOCKED', 'not now');
        return extraction;
      },
    });
    await readBatch({ ...deps, engine: refusingOnly('ccccccccccc') })(call, input);
    const again = await readBatch({ ...deps, engine: refusingOnly('bbbbbbbbbbb') })(call, input);
    assert.deepEqual(
      again.items.map(({ status, creditsCharged }) => [status, creditsCharged]),
      [
        ['complete', 1],
        ['failed', 0],
        ['complete', 1],
      ],
    );
    assert.equal(again.creditsCharged, 2);
    assert.equal(await deps.remaining(call), before - 2);
  });

  it('is made for the videos of a batch that were read in time, whatever the others wait for', async () => {
    const deps = await opened();
    const call = callOf(account);
    const slow = Array.from({ length: 20 }, (_, n) => `slow-${String(n).padStart(6, '0')}`);
    const engine: ReadingEngine = {
      ...engineWith(extraction),
      extract: ({ videoId: wanted }, { signal }) =>
        wanted === videoId
          ? Promise.resolve(extraction)
          : new Promise((_, reject) => {
              if (signal.aborted) reject(signal.reason);
              signal.addEventListener('abort', () => reject(signal.reason));
            }),
    };
    const faults: unknown[] = [];
    const onFault = (fault: unknown) => faults.push(fault);
    const read = await readBatch({ ...deps, engine, onFault, waitMs: 50 })(call, {
      references: [...slow, videoId],
      ...plainly,
    });
    assert.equal(read.creditsCharged, 1);
    assert.equal(await deps.spent(), 1);
    assert.deepEqual(
      read.items.map((item) => (item.status === 'failed' ? item.code : item.status)),
      [...slow.map(() => 'PLATFORM_TIMEOUT'), 'complete'],
    );
    assert.deepEqual(faults, []);
  });

  it('is made for a video behind many slow ones: none waits for all before it', async () => {
    const deps = await opened();
    const call = callOf(account);
    const { promise: readLast, resolve: tell } = Promise.withResolvers<void>();
    const engine: ReadingEngine = {
      ...engineWith(extraction),
      // The slow ones come only after the last one, which has to get a turn beside them.
      extract: async ({ videoId: wanted }) => {
        if (wanted === videoId) tell();
        else await readLast;
        return extraction;
      },
    };
    const slow = Array.from({ length: 9 }, (_, n) => `slow-${String(n).padStart(6, '0')}`);
    const read = await readBatch({ ...deps, engine })(call, { references: [...slow, videoId], ...plainly });
    assert.equal(read.creditsCharged, 10);
  });
});
