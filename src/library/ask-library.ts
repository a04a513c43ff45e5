import { answerOf as answerIn } from '../contract/answer-of.ts';
import { libraryAnswer } from '../contract/library.ts';
import type { Answer } from '../contract/operations/ask.ts';
import type { OperationCall } from '../contract/operations.ts';
import type { AdmitWork } from '../credits/admit-work.ts';
import type { Charge } from '../credits/charge-credits.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Extraction, Segment } from '../extraction/captions/caption-track.ts';
import { say } from '../insights/extractive/templates.ts';
import type { InsightCommands } from '../insights/insight-commands.ts';
import { hashOf } from '../insights/model-cache.ts';
import type { PerformedOperation } from '../insights/run-operation.ts';
import { timestampOfSeconds } from '../insights/source.ts';
import type { Call } from '../kernel/call.ts';
import { baseLanguage } from '../kernel/languages.ts';
import { resultDelivery } from '../transcripts/delivery.ts';
import type { findPassages } from './find-passages.ts';
import { type FoundPassage, type KeptCaptions, type LibraryStore, noFilter } from './library-store.ts';
import type { RankedPassage } from './rank-passages.ts';

/** A passage that an answer stands on. Seconds. */
export type LibraryCitation = Pick<FoundPassage, 'videoId' | 'title' | 'language' | 'start' | 'end' | 'text'> & {
  readonly timestamp: string;
  readonly contentHash: string;
};

export type LibraryAnswer = Pick<Answer, 'answer' | 'grounded'> &
  Pick<PerformedOperation, 'model' | 'isFallback' | 'unavailable'> & { readonly citations: readonly LibraryCitation[] };

type AskDeps = {
  readonly store: Pick<LibraryStore, 'captions'>;
  readonly ledger: ChargingLedger;
  readonly admit: AdmitWork;
  readonly prepareInsight: InsightCommands['prepareInsight'];
  readonly find: ReturnType<typeof findPassages>;
};

type AskInput = { readonly question: string; readonly output_lang?: string | null | undefined };

/** Passages that are read for an answer. */
const passagesRead = 10;
/** Captions on both sides of a passage. */
const around = 3;
/** Between the beginnings of two excerpts: longer than any video, so that no sentence, window or quote spans two of them. */
const apartMs = 1_000_000_000;

/** A part of the captions of one video. */
type Part = Pick<LibraryCitation, 'videoId' | 'title' | 'language' | 'contentHash'> & {
  readonly segments: readonly Segment[];
};

/**
 * Answers a question from passages of several videos. They are put together as if they were one transcript and asked as one
 * video is, so every citation is verified word by word; one whose ends lie in two videos is dropped, and an answer without any
 * is none. Charged as `ask`: what no passage could answer costs what an extract costs.
 */
export const askLibrary =
  ({ store, ledger, admit, prepareInsight, find }: AskDeps) =>
  async (call: Call, { question, output_lang = null }: AskInput): Promise<LibraryAnswer & Receipt> => {
    const wanted: OperationCall = { operation: 'ask', question, output_lang };
    const prepared = await prepareInsight(call, 'library', wanted, { reference: 'library', language: null });
    const quote = prepared.quote.map(ofNoVideo);
    const deliveryOf = (made: LibraryAnswer) => resultDelivery(wanted, answerResult(made), { language: null });
    const { made, creditsCharged, eventId } = await admit(call, (begun) =>
      chargeOnSuccess(ledger)(call, {
        operation: wanted.operation,
        quote,
        run: async () => {
          const found = await find(call, { query: question, limit: passagesRead, filter: noFilter, isQuestion: true });
          const parts = await partsOf(store, call.accountId, found);
          const extraction = joined(parts, found[0]?.candidate.language ?? output_lang ?? 'en');
          if (parts.length === 0) {
            const amount = priceOf(wanted.operation, { usesModel: false });
            const made: LibraryAnswer = { ...noAnswer(output_lang), model: null, isFallback: true };
            const delivery = deliveryOf(made);
            const charges = quote.map((one) => ({ ...one, amount, pricedBy: { usesModel: false }, delivery }));
            return { made, charges };
          }
          const { made: done, charges } = await prepared.run(extraction, begun);
          const made = answerOf(done, parts, output_lang);
          // The result for the joined excerpts has times that nobody was given.
          const delivery = deliveryOf(made);
          return { made, charges: charges.map((charge) => ({ ...ofNoVideo(charge), delivery })) };
        },
      }),
    );
    return { ...made, creditsCharged, eventId };
  };

const citationJson = answerIn(libraryAnswer.shape.citations.element);

/** The result as the API returns it, which the hash of its receipt covers. */
export const answerResult = ({
  answer,
  citations,
  grounded,
}: Pick<LibraryAnswer, 'answer' | 'citations' | 'grounded'>) => ({
  answer,
  citations: citations.map((citation) => citationJson(citation)),
  grounded,
});

const ofNoVideo = (charge: Charge): Charge => ({ ...charge, videoId: null });

const noAnswer = (language: string | null) => ({
  answer: say('notFoundInLibrary', baseLanguage(language)),
  citations: [],
  grounded: false,
});

/** The captions of each passage with some around it, each caption once. */
const partsOf = async (
  store: Pick<LibraryStore, 'captions'>,
  accountId: string,
  found: readonly RankedPassage[],
): Promise<readonly Part[]> => {
  const taken = new Set<string>();
  const parts: Part[] = [];
  for (const { candidate } of found) {
    const { videoId, version, title, language, contentSha256: contentHash } = candidate;
    const kept = await store.captions(accountId, videoId, version);
    // It was removed meanwhile.
    if (kept === null) continue;
    const segments = segmentsOf(kept);
    const isWithin = ({ startMs, endMs }: Segment): boolean =>
      endMs > candidate.start * 1_000 && startMs < candidate.end * 1_000;
    const first = segments.findIndex(isWithin);
    const last = segments.findLastIndex(isWithin);
    const own = segments.slice(Math.max(0, first - around), last + 1 + around).filter(({ startMs, text }) => {
      const key = `${videoId} ${version} ${startMs} ${text}`;
      const isNew = !taken.has(key);
      taken.add(key);
      return isNew;
    });
    if (first >= 0 && own.length > 0) parts.push({ videoId, title, language, contentHash, segments: own });
  }
  return parts;
};

/** The lines of kept captions. */
export const segmentsOf = ({ lines, times }: KeptCaptions): readonly Segment[] =>
  lines.map((text, at) => {
    const [startMs = 0, endMs = startMs] = [times[2 * at], times[2 * at + 1]];
    return { text, startMs, endMs, durationMs: endMs - startMs };
  });

/** The parts as one transcript, each at a time of its own. */
const joined = (parts: readonly Part[], language: string): Extraction => {
  const segments = parts.flatMap((part, at) =>
    part.segments.map((segment) => ({
      ...segment,
      startMs: segment.startMs + at * apartMs,
      endMs: segment.endMs + at * apartMs,
    })),
  );
  const track = { id: 'library', language, name: '', kind: 'manual' } as const;
  return {
    video: { videoId: 'library', title: null, channel: null, channelId: null, durationS: null, isLive: false },
    tracks: [],
    track: { ...track, isTranslatable: false, isRightToLeft: false },
    requestedLanguage: null,
    matchedBy: 'default',
    segments,
    contentSha256: hashOf(parts.map(({ contentHash, segments: own }) => [contentHash, own[0]?.startMs, own.length])),
    fetchedAt: '',
    isCacheHit: true,
  };
};

const answerOf = (done: PerformedOperation, parts: readonly Part[], language: string | null): LibraryAnswer => {
  const { answer, citations, grounded } = done.result as Answer;
  const made = { model: done.model, isFallback: done.isFallback };
  const cited = citations.flatMap((citation) => citationIn(citation, parts) ?? []);
  if (!grounded || cited.length === 0) return { ...noAnswer(language ?? done.language), ...made };
  const unavailable = done.unavailable === undefined ? {} : { unavailable: done.unavailable };
  return { answer, citations: cited, grounded, ...made, ...unavailable };
};

/** A citation of the whole as one of its video; null: it does not lie in one part. */
const citationIn = (
  { start, end, text }: Answer['citations'][number],
  parts: readonly Part[],
): LibraryCitation | null => {
  const apart = apartMs / 1_000;
  const at = Math.floor(start / apart);
  const part = parts[at];
  if (part === undefined || Math.floor(end / apart) !== at) return null;
  const [own, until] = [start, end].map((time) => Math.round((time - at * apart) * 1_000) / 1_000);
  if (own === undefined || until === undefined) return null;
  const { segments: _, ...of } = part;
  return { ...of, start: own, end: until, timestamp: timestampOfSeconds(own), text };
};
