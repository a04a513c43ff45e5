import type { Charge } from '../credits/charge-credits.ts';
import type { Ledger } from '../credits/keep-ledger.ts';
import { listingPrice } from '../credits/prices.ts';
import type { Engine, Listing } from '../extraction/extraction.ts';
import { requireChannelReference, requirePlaylistId } from '../extraction/list-reference.ts';
import type { Call } from '../kernel/call.ts';
import { isFinal } from '../transcripts/read-transcript.ts';

/** A listing and what it cost. */
export type PaidListing = {
  readonly listing: Listing;
  readonly creditsCharged: number;
  readonly eventId: string | null;
};

/**
 * Lists a playlist or a channel and charges one credit for each started hundred of videos returned. The balance is
 * held for all that the limit allows before the platform is asked. Refusals: INVALID_REQUEST, INSUFFICIENT_CREDITS,
 * those of the engine.
 */
export const listSource =
  ({
    engine,
    ledger,
  }: {
    readonly engine: Pick<Engine, 'listPlaylist' | 'listChannel'>;
    readonly ledger: Pick<Ledger, 'hold' | 'charge' | 'giveBack'>;
  }) =>
  async (
    call: Call,
    input: {
      readonly kind: 'playlist' | 'channel';
      readonly reference: string;
      readonly limit: number;
    },
  ): Promise<PaidListing> => {
    const { kind, reference, limit } = input;
    const { signal } = call;
    if (kind === 'channel') requireChannelReference(reference);
    const playlistId = kind === 'playlist' ? requirePlaylistId(reference) : '';
    const hold = await ledger.hold(call, chargesOf(input, limit));
    try {
      const listing =
        kind === 'playlist'
          ? await engine.listPlaylist({ playlistId, limit }, { signal })
          : await engine.listChannel({ reference, limit }, { signal });
      signal.throwIfAborted();
      const posted = await ledger.charge(call, chargesOf(input, listing.videos.length));
      return { listing, creditsCharged: posted.credits, eventId: posted.eventId };
    } catch (error) {
      if (call.isRepeatable && isFinal(error)) await ledger.giveBack(call, [chargeNamed(input)]);
      throw error;
    } finally {
      hold.release();
    }
  };

type Source = { readonly kind: 'playlist' | 'channel'; readonly reference: string };

/** By what the charge is known, whatever it came to. */
const chargeNamed = ({ kind, reference }: Source) => ({ operation: kind, what: reference });

const chargesOf = (source: Source, returned: number): readonly Charge[] => [
  {
    ...chargeNamed(source),
    amount: listingPrice(returned),
    requests: 1,
    videoId: null,
  },
];
