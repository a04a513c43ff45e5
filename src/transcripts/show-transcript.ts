import type { Begun } from '../credits/admit-work.ts';
import type { Charge } from '../credits/charge-credits.ts';
import { type ChargedWork, chargeOnSuccess, isFinal, type Receipt } from '../credits/charge-on-success.ts';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import { priceOf, recognitionPrice, transcriptPrice } from '../credits/prices.ts';
import type { AuthorChapter, Engine, Extraction } from '../extraction/captions/caption-track.ts';
import { languagesIn, languagesOf } from '../extraction/tracks.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import { type Call, readerOf } from '../kernel/call.ts';
import type { Clock } from '../kernel/clock.ts';
import { uuidOf } from '../kernel/ids.ts';
import { isSameLanguage } from '../kernel/languages.ts';
import { deliveryOf } from './delivery.ts';
import { preparingToKeep } from './keep-captions.ts';
import { notePaid, type PaidCaptionsStore, paidContentOf } from './paid-captions.ts';
import {
  type CaptionRequest,
  isRecognized,
  type RecognizingDeps,
  recognitionTimeoutMs,
  wantedOf,
} from './read-transcript.ts';
import { type Shape, type ShapedTranscript, shapeTranscript } from './shape-transcript.ts';

/** Work on captions, as a part of an operation that is charged as a whole. */
export type ChargedPart<Result> = Pick<ChargedWork<Result>, 'quote'> & {
  readonly run: (
    extraction: Extraction,
    begun: Begun,
  ) => Promise<{ readonly made: Result; readonly charges: readonly Charge[] }>;
};

export type ShowInput = Shape &
  Omit<CaptionRequest, 'mayTranslate'> & {
    /** The most that the reader agreed to pay for the captions. */
    readonly agreedCredits: number;
    /** The reader saw the price and confirmed it. */
    readonly isConfirmed: boolean;
    /** Speech is recognized now where that is wanted; otherwise what was recognized before is shown. */
    readonly recognizesSpeech: boolean;
    /** Content that was paid for under the form of this request; null: none. */
    readonly paidSha256: string | null;
    /** An offer quotes the line of this second, where the captions were read before; null: it quotes none. */
    readonly quotedSecond: number | null;
  };

/** Captions, and what was made of them in the same charge. */
export type ShownTranscript<More> = ShapedTranscript &
  Receipt & {
    readonly kind: 'shown';
    readonly available: readonly string[];
    readonly contentSha256: string;
    /** Those that the author of the video wrote; they are free. */
    readonly chapters: readonly AuthorChapter[] | null;
    readonly isCacheHit: boolean;
    readonly more: More | null;
    /** Languages of this video that can be read again free of charge, this one among them. */
    readonly paidLanguages: readonly string[];
  };

/** Captions that the reader has to pay for and has not agreed to. Nothing was charged. */
export type TranscriptOffer = {
  readonly kind: 'offer';
  readonly credits: number;
  readonly videoId: string;
  /** Null: the platform does not say, or does not answer now. */
  readonly title: string | null;
  /** The line to which the reader was sent; null: none, or nobody has read these captions lately. */
  readonly quoted: QuotedLine | null;
};

/** A line of a transcript, as a link to it is shown elsewhere. */
export type QuotedLine = { readonly second: number; readonly text: string };

/** The line that is spoken at a second. */
export const lineAt = (
  segments: readonly { readonly startMs: number; readonly text: string }[],
  second: number,
): QuotedLine | null => {
  const line = segments.findLast(({ startMs }) => startMs < (second + 1) * 1_000) ?? segments[0];
  return line === undefined ? null : { second: Math.floor(line.startMs / 1_000), text: line.text };
};

type Look<More> =
  | TranscriptOffer
  | {
      readonly kind: 'looked';
      readonly extraction: Extraction;
      readonly shaped: ShapedTranscript;
      readonly more: More | null;
      /** The captions are paid for. */
      readonly isFree: boolean;
      /** Whether it goes into the library. */
      readonly isKept: boolean;
    };

type ShowDeps = RecognizingDeps & {
  readonly engine: Pick<Engine, 'knownTranscript'>;
  readonly ledger: Pick<Ledger, 'chargeOf'>;
  readonly paid: PaidCaptionsStore;
  readonly clock: Clock;
};

/**
 * Shows a transcript to somebody who looks at a page. What an account or a visitor has paid for is shown again for 24
 * hours, whatever paid for it, by its content. Looks at the same content at the same time are charged once, with the
 * exceptions of `keyOfFirstLook`. Captions that cost more than the reader agreed to are offered. `part`: something that is
 * made of the captions and charged with them, all or nothing. Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of
 * the engine and of the part.
 */
export const showTranscript =
  (deps: ShowDeps) =>
  async <More>(
    call: Call,
    input: ShowInput,
    part: ChargedPart<More> | null,
  ): Promise<ShownTranscript<More> | TranscriptOffer> => {
    const { engine, ledger, admit, paid, keeper, clock } = deps;
    const { language, agreedCredits, recognizesSpeech, asr } = input;
    const videoId = requireVideoId(input.reference);
    const entries = await paid.of(readerOf(call), [videoId]);
    const isPaid = (content: string): boolean =>
      content === input.paidSha256 || entries.some(({ contentSha256 }) => contentSha256 === content);
    const languages = language === null ? null : languagesIn(language);
    // Whether the captions are paid for is known when they are read; before, the balance is asked for what may be due.
    const mayBePaid =
      input.paidSha256 !== null ||
      entries.some((each) => languages?.some((one) => isSameLanguage(each.language, one)) ?? true);
    if (agreedCredits === 0 && !mayBePaid) return await offered(engine, input, videoId, call.signal);
    const charge = { what: videoId, operation: 'transcript', requests: 1, videoId } as const;
    /** Whether an earlier attempt of this call paid for the captions together with the part: a repeat answers for both. */
    const wasCharged = hasPrice(part) && (await ledger.chargeOf(call, charge)) !== null;
    const isQuoted = input.isConfirmed || !mayBePaid || wasCharged;
    const quote: readonly Charge[] = isQuoted ? [{ ...charge, amount: agreedCredits }] : [];
    const look = async (begun: Begun): Promise<Awaited<ReturnType<ChargedWork<Look<More>>['run']>>> => {
      const extraction = await engine.extract(
        // What was recognized before is shown without captions too.
        wantedOf(
          videoId,
          { ...input, asr: asr === 'force' ? asr : 'auto' },
          recognizesSpeech ? recognitionTimeoutMs : 0,
        ),
        { signal: call.signal, onRecognizing: () => begun(videoId, recognitionPrice) },
      );
      const isFree = isPaid(paidContentOf(extraction));
      const pricedBy = { isRecognized: isRecognized(extraction) };
      const amount = priceOf('transcript', pricedBy);
      if (!isFree && (!isQuoted || amount > agreedCredits)) {
        const { title } = extraction.video;
        const { quotedSecond: second } = input;
        const quoted = second === null ? null : lineAt(extraction.segments, second);
        return { made: { kind: 'offer', credits: amount, videoId, title, quoted }, charges: [] };
      }
      const shaped = shapeTranscript(extraction, input);
      const made = part === null ? null : await part.run(extraction, begun);
      const further = made?.charges ?? [];
      const isKept = !isFree && (await keeper.wants(call, input.keep, videoId));
      const looked = { kind: 'looked', extraction, shaped, more: made?.made ?? null, isFree, isKept } as const;
      // Speech that was paid for elsewhere can be shown in place of captions, and its price is not what was agreed to.
      const isDue = !isFree || (wasCharged && amount <= agreedCredits);
      if (!isDue) return { made: looked, charges: further };
      const own = { ...charge, amount, pricedBy, delivery: deliveryOf(extraction, input) };
      return {
        made: looked,
        charges: [own, ...further],
        ...keyOfFirstLook(call, extraction, hasPrice(part), clock()),
        ...preparingToKeep(keeper, isKept, [{ extraction, charge: own }]),
      };
    };
    const charged = (begun: Begun) =>
      chargeOnSuccess(ledger)(call, {
        operation: null,
        quote: [...quote, ...(part?.quote ?? [])],
        run: () => look(begun),
      });
    const isAdmitted = hasPrice(part) || recognizesSpeech;
    const { made, creditsCharged, eventId } = await (isAdmitted ? admit(call, charged) : charged(() => {}));
    if (made.kind === 'offer') return made;
    const { extraction, shaped, more, isFree, isKept } = made;
    if (!isFree) notePaid(paid, call, extraction);
    if (isKept) await keeper.keep(call, extraction);
    return {
      ...{ kind: 'shown', ...shaped, more, creditsCharged, eventId },
      available: languagesOf(extraction.tracks),
      contentSha256: paidContentOf(extraction),
      chapters: extraction.video.details?.chapters ?? null,
      isCacheHit: extraction.isCacheHit,
      paidLanguages: [...new Set([...entries.map((each) => each.language), extraction.track.language])],
    };
  };

/** Whether a part costs something besides the captions. */
const hasPrice = (part: Pick<ChargedPart<unknown>, 'quote'> | null): boolean => (part?.quote.length ?? 0) > 0;

/**
 * The deduplication key of a first look: the same for the same reader, content and UTC day, so that looks at the same time
 * are one charge. 24 hours later it is another day. None, so that the key of the call decides: with a part that has a
 * price, and for a visitor without a cookie, whose `reader` is new with each request.
 */
const keyOfFirstLook = (call: Call, { video, track, contentSha256 }: Extraction, isPartPriced: boolean, now: Date) => {
  if (isPartPriced || call.allowance?.isNew === true) return {};
  const day = now.toISOString().slice(0, 10);
  const parts = [readerOf(call), video.videoId, track.kind, contentSha256, day];
  return { deduplicationKey: uuidOf(['look', ...parts].join('|')) };
};

/**
 * What the video is called, free of charge: whoever follows a link sees what it costs. So does one line, where the link
 * leads to one: a request each, of captions that somebody has paid for, while a visitor has hundreds of transcripts a day.
 */
const offered = async (
  engine: ShowDeps['engine'],
  input: ShowInput,
  videoId: string,
  signal: AbortSignal,
): Promise<TranscriptOffer> => {
  // That the platform does not answer now is no reason to show an error in place of an offer.
  const listing = await engine.listTracks(videoId, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isFinal(error)) throw error;
    return null;
  });
  const { quotedSecond: second } = input;
  const known = second === null ? null : await engine.knownTranscript(wantedOf(videoId, input));
  return {
    kind: 'offer',
    credits: transcriptPrice,
    videoId,
    title: listing?.video.title ?? null,
    quoted: known === null || second === null ? null : lineAt(known.segments, second),
  };
};
