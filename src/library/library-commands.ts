import { answerOf } from '../contract/answer-of.ts';
import { librarySearchResults } from '../contract/library.ts';
import type { AdmitWork } from '../credits/admit-work.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Extraction } from '../extraction/captions/caption-track.ts';
import { momentLink } from '../extraction/platform-links.ts';
import { longestWindow } from '../insights/extractive/windows.ts';
import type { InsightCommands } from '../insights/insight-commands.ts';
import { timestampOfSeconds } from '../insights/source.ts';
import type { Call } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import { captionsSha256, resultDelivery } from '../transcripts/delivery.ts';
import type { CaptionKeeper } from '../transcripts/keep-captions.ts';
import type { ReadingQuote } from '../transcripts/quote-reading.ts';
import { askLibrary, type LibraryCitation } from './ask-library.ts';
import { type FindDeps, type FindInput, findPassages } from './find-passages.ts';
import { keepVideo, type LibraryDeps, libraryFull } from './keep-video.ts';
import type { RankedPassage } from './rank-passages.ts';
import { readLibrary } from './read-library.ts';
import { clearLibrary, removeVideo } from './remove-video.ts';

/** A passage that was found, as every face shows it. Seconds. */
export type LibraryHit = Omit<LibraryCitation, 'contentHash'> & {
  readonly channel: string | null;
  readonly score: number;
  readonly url: string;
};

type Deps = LibraryDeps &
  FindDeps & {
    readonly ledger: ChargingLedger;
    readonly admit: AdmitWork;
    /** Whether a model is configured, which may make an answer. */
    readonly hasModel: () => boolean;
    readonly prepareInsight: InsightCommands['prepareInsight'];
  };

/** The commands of the library. Each is about the library of the account of its call alone. */
export const libraryCommands = (deps: Deps) => {
  const { ledger } = deps;
  const find = findPassages(deps);
  return {
    ...readLibrary(deps),
    /** Keeps captions that were read, and says whether they are others than before: for the event `captions.changed`. */
    keepCaptions: keepVideo(deps),
    askLibrary: askLibrary({ ...deps, find }),
    /** The same for a person who looks through the own library on a page: free, under the limit of requests of a session. */
    browseLibrary: async (call: Call, input: FindInput): Promise<readonly LibraryHit[]> =>
      (await find(call, input)).map(hitOf),
    /** What a search or a question would cost now: at most. */
    quoteLibrary: (operation: 'search' | 'ask'): ReadingQuote => ({
      operation,
      credits: priceOf(operation, { usesModel: deps.hasModel() }),
      videos: null,
      note: operation === 'ask' ? 'It costs less if no model made the answer.' : null,
    }),
    removeFromLibrary: removeVideo(deps),
    clearLibrary: clearLibrary(deps),
    /** Passages of all videos of the library, the best first. Refusals: INSUFFICIENT_CREDITS, INVALID_REQUEST. */
    searchLibrary: async (
      call: Call,
      input: FindInput,
    ): Promise<Receipt & { readonly hits: readonly LibraryHit[] }> => {
      const charge = {
        what: 'library',
        operation: 'search',
        amount: priceOf('search'),
        requests: 1,
        videoId: null,
      } as const;
      const { made, creditsCharged, eventId } = await deps.admit(call, () =>
        chargeOnSuccess(ledger)(call, {
          operation: 'search',
          quote: [charge],
          run: async () => {
            const hits = (await find(call, input)).map(hitOf);
            const { query, limit, filter } = input;
            const wanted = { operation: charge.operation, query, limit };
            const delivery = resultDelivery(wanted, searchResult(hits), { language: filter.language });
            return { made: hits, charges: [{ ...charge, delivery }] };
          },
        }),
      );
      return { hits: made, creditsCharged, eventId };
    },
  };
};

export type LibraryCommands = ReturnType<typeof libraryCommands>;

const hitJson = answerOf(librarySearchResults.shape.results.element);

/** The result of a search as the API returns it, which the hash of its receipt covers. */
export const searchResult = (hits: readonly LibraryHit[]) => ({ results: hits.map((hit) => hitJson(hit)) });

const hitOf = ({ candidate, score }: RankedPassage): LibraryHit => {
  const { videoId, title, channel, language, start, end, text } = candidate;
  return {
    ...{ videoId, title, channel, language, text, start },
    // A single caption may last longer than a hit may.
    end: Math.min(end, start + longestWindow),
    timestamp: timestampOfSeconds(start),
    score: Math.round(score * 1e4) / 1e4,
    url: momentLink(videoId, Math.floor(start)),
  };
};

/** Keeps captions for the commands that read them. */
export const captionKeeper = (
  deps: LibraryDeps & {
    readonly keepByDefault: (accountId: string) => Promise<boolean>;
    readonly systemCall: (accountId: string) => Call;
    /** Told why something that was read could not be kept. */
    readonly onFailure: (error: unknown) => void;
  },
): CaptionKeeper & {
  /** Keeps what was charged and not kept because its process ended. `olderThanMs`: what is newer may be about to be kept. */
  readonly keepCharged: (page: { readonly olderThanMs: number; readonly signal: AbortSignal }) => Promise<void>;
} => {
  const keep = async (call: Parameters<ReturnType<typeof keepVideo>>[0], extraction: Extraction): Promise<void> => {
    try {
      await keepVideo(deps)(call, extraction);
    } catch (error) {
      // The quota was reached meanwhile, or by a default that nobody asked for in this request.
      if (!(error instanceof Refusal) || error.code !== 'LIBRARY_FULL') return deps.onFailure(error);
      await deps.store.removeFromOutbox(call.accountId, keptOf(extraction)).catch(deps.onFailure);
    }
  };
  return {
    wants: async ({ accountId, allowance }, isWanted, videoId) => {
      if (allowance !== undefined) return false;
      if (isWanted === undefined) return await deps.keepByDefault(accountId);
      if (!isWanted) return false;
      const [{ videos, isKept }, quota] = await Promise.all([
        deps.store.room(accountId, videoId),
        deps.quotaOf(accountId),
      ]);
      if (videos >= quota && !isKept) throw libraryFull(quota);
      return true;
    },
    prepare: async (accountId, extraction, chargeId) => {
      // Which other tracks the video has is of no use here.
      const written = JSON.stringify({ ...extraction, tracks: [] });
      await deps.store.addToOutbox({ accountId, chargeId, ...keptOf(extraction), extraction: written });
    },
    // A caller who is gone has paid.
    keep: (call, extraction) => keep({ ...call, signal: new AbortController().signal }, extraction),
    keepCharged: async ({ olderThanMs, signal }) => {
      for (const { accountId, extraction } of await deps.store.chargedInOutbox({ olderThanMs, limit: keptAtOnce })) {
        signal.throwIfAborted();
        await keep({ ...deps.systemCall(accountId), signal }, JSON.parse(extraction) as Extraction);
      }
    },
  };
};

/** Captions that a look at the outbox keeps. */
const keptAtOnce = 50;

const keptOf = (extraction: Extraction) => ({
  videoId: extraction.video.videoId,
  language: extraction.track.language,
  contentSha256: captionsSha256(extraction),
});
