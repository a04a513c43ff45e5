import { setTimeout as pause } from 'node:timers/promises';
import type { Begun } from '../credits/admit-work.ts';
import { type Charge, chargeIdOf } from '../credits/charge-credits.ts';
import { chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import { type PriceFacts, priceOf, recognitionPrice } from '../credits/prices.ts';
import type { Extraction } from '../extraction/captions/caption-track.ts';
import { failure, refusalOf } from '../extraction/failures.ts';
import { notAVideo, parseVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { timeLimit } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import { deliveryOf } from './delivery.ts';
import { preparingToKeep } from './keep-captions.ts';
import { notePaid } from './paid-captions.ts';
import { type BesidesDeps, type CaptionOptions, isRecognized, mayRecognize, wantedOf } from './read-transcript.ts';
import { addBesides, type Besides } from './read-video.ts';
import { type Shape, type ShapedTranscript, shapeTranscript } from './shape-transcript.ts';

/** Videos of one batch that are read at the same time. */
const readsAtOnce = 8;
/** A video that takes longer no longer holds its place, and the next one starts beside it. */
const slowMs = 2_000;
/** Within this time, which is below that of its request, a batch has read what it can. */
const batchTimeoutMs = 25_000;

type Failure = Pick<Refusal, 'message' | 'details'> & {
  readonly status: 'failed';
  readonly code: Refusal['code'] | 'INTERNAL_ERROR';
};

type Outcome = ({ readonly status: 'complete' } & ShapedTranscript) | Failure;

export type BatchItem = Outcome & {
  /** As the caller sent it. */
  readonly reference: string;
  readonly videoId: string | null;
  readonly creditsCharged: number;
  readonly chargeId: string | null;
};

type BatchDeps = BesidesDeps & { readonly onFault: (fault: unknown) => void; readonly waitMs?: number };

/**
 * Reads the videos of a batch. The balance must cover every distinct one before any is read; each success is charged,
 * all in one append; a video that is named twice is read and charged once. One that fails is a failed item and never
 * fails the others, and so is one that takes longer than `waitMs`. `onFault` is told of what is our fault.
 */
export const readBatch =
  ({ engine, ledger, admit, paid, keeper, tokens, onFault, waitMs = batchTimeoutMs }: BatchDeps) =>
  async (
    call: Call,
    input: Shape & Besides & CaptionOptions & { readonly references: readonly string[] },
  ): Promise<Receipt & { readonly items: readonly BatchItem[] }> => {
    const asked = input.references.map((reference) => ({ reference, videoId: parseVideoId(reference) }));
    const videoIds = [...new Set(asked.flatMap(({ videoId }) => videoId ?? []))];
    const isKept = await keeper.wants(call, input.keep, null);
    /** Of the videos that are complete. */
    const extractions = new Map<string, Extraction>();
    const most = { isRecognized: mayRecognize(input) };
    const readAll = (begun?: Begun) =>
      chargeOnSuccess(ledger)(call, {
        operation: 'batch',
        quote: videoIds.map((videoId, index) => chargeOf(videoId, index, most)),
        run: async () => {
          // What is still being read when the time of the batch is up fails as a timeout.
          using limit = timeLimit(waitMs, () => refusalOf(failure('timeout')));
          const signal = AbortSignal.any([call.signal, limit.signal]);
          const read = async (videoId: string): Promise<Outcome> => {
            const onRecognizing = () => begun?.(videoId, recognitionPrice);
            const extraction = await engine.extract(wantedOf(videoId, input), { signal, onRecognizing });
            const shaped = shapeTranscript(extraction, input);
            const whole = await addBesides({ engine, tokens })(shaped, extraction, input, signal);
            extractions.set(videoId, extraction);
            return { status: 'complete', ...whole };
          };
          const outcomes = await outcomesOf(videoIds, read, call.signal, onFault);
          const complete = videoIds.flatMap((videoId) => {
            const extraction = extractions.get(videoId);
            return extraction === undefined ? [] : [{ videoId, extraction }];
          });
          const charged = complete.map(({ videoId, extraction }, at) => {
            const delivery = deliveryOf(extraction, input);
            const pricedBy = { isRecognized: isRecognized(extraction) };
            return { extraction, charge: { ...chargeOf(videoId, at, pricedBy), delivery } };
          });
          const charges = charged.map(({ charge }) => charge);
          return { made: outcomes, charges, ...preparingToKeep(keeper, isKept, charged) };
        },
      });
    const charged = mayRecognize(input) ? await admit(call, readAll) : await readAll();
    const { made, creditsCharged, eventId, eventIds } = charged;
    const items = itemsOf(call, asked, made, new Set(eventIds));
    for (const { videoId, chargeId } of items) {
      const extraction = chargeId === null || videoId === null ? null : extractions.get(videoId);
      if (extraction) {
        notePaid(paid, call, extraction);
        if (isKept) await keeper.keep(call, extraction);
      }
    }
    return { items, creditsCharged, eventId };
  };

const priceOfOne = ({ transcript }: ShapedTranscript): number =>
  priceOf('batch', { isRecognized: transcript.source === 'asr' });

/** The first success of a batch stands for its one request. */
const chargeOf = (videoId: string, index: number, pricedBy: PriceFacts): Charge => ({
  what: videoId,
  operation: 'batch',
  amount: priceOf('batch', pricedBy),
  pricedBy,
  requests: index === 0 ? 1 : 0,
  videoId,
});

const failureOf = ({ code, message, details }: Refusal): Failure => ({ status: 'failed', code, message, details });

const fault: Failure = {
  status: 'failed',
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side. Nothing was charged for this video.',
  details: null,
};

const outcomesOf = async (
  videoIds: readonly string[],
  read: (videoId: string) => Promise<Outcome>,
  signal: AbortSignal,
  onFault: (fault: unknown) => void,
): Promise<ReadonlyMap<string, Outcome>> => {
  const outcomes = new Map<string, Outcome>();
  const readOne = async (videoId: string): Promise<void> => {
    try {
      outcomes.set(videoId, await read(videoId));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Refusal)) onFault(error);
      outcomes.set(videoId, error instanceof Refusal ? failureOf(error) : fault);
    }
  };
  const left = videoIds.values();
  const begun: Promise<void>[] = [];
  const worker = async () => {
    for (const videoId of left) {
      const reading = readOne(videoId);
      // When another one ends the batch, nobody waits for this one any more.
      reading.catch(() => {});
      begun.push(reading);
      await endOrWait(reading, slowMs);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, worker));
  await Promise.all(begun);
  return outcomes;
};

/** Until the work is over, and so long at most. */
const endOrWait = async (work: Promise<void>, ms: number): Promise<void> => {
  const over = new AbortController();
  try {
    await Promise.race([work, pause(ms, undefined, { signal: over.signal }).catch(() => {})]);
  } finally {
    over.abort();
  }
};

const itemsOf = (
  call: Call,
  asked: readonly Pick<BatchItem, 'reference' | 'videoId'>[],
  outcomes: ReadonlyMap<string, Outcome>,
  posted: ReadonlySet<string>,
): BatchItem[] => {
  const charged = new Set<string>();
  return asked.map(({ reference, videoId }) => {
    const nothing = { reference, videoId, creditsCharged: 0, chargeId: null };
    if (videoId === null) return { ...nothing, ...failureOf(notAVideo()) };
    const outcome = outcomes.get(videoId) ?? fault;
    if (outcome.status === 'failed') return { ...nothing, ...outcome };
    const chargeId = chargeIdOf(call, { operation: 'batch', what: videoId });
    // Shown for nothing: an earlier try was charged for it, and a later one gave that back.
    if (!posted.has(chargeId)) return { ...nothing, ...outcome };
    const creditsCharged = charged.has(videoId) ? 0 : priceOfOne(outcome);
    charged.add(videoId);
    return { reference, videoId, creditsCharged, chargeId, ...outcome };
  });
};
