import {
  type ChargingLedger,
  chargeOnSuccess,
  type Receipt,
} from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import { requireChannelReference, requirePlaylistId } from '../extraction/list-reference.ts';
import type { Engine, Listing } from '../extraction/types.ts';
import type { Call } from '../kernel/call.ts';

/** A listing with its receipt. */
export type PaidListing = Receipt & { readonly listing: Listing };

/**
 * Lists a playlist or a channel and charges one credit for each started hundred of videos. The balance must cover the
 * cost of `limit` before the platform is called. Refusals: INVALID_REQUEST, INSUFFICIENT_CREDITS, those of the engine.
 */
export const listSource =
  ({
    engine,
    ledger,
  }: {
    readonly engine: Pick<Engine, 'listPlaylist' | 'listChannel'>;
    readonly ledger: ChargingLedger;
  }) =>
  async (
    call: Call,
    {
      kind,
      reference,
      limit,
    }: {
      readonly kind: 'playlist' | 'channel';
      readonly reference: string;
      readonly limit: number;
    },
  ): Promise<PaidListing> => {
    const { signal } = call;
    if (kind === 'channel') requireChannelReference(reference);
    const playlistId = kind === 'playlist' ? requirePlaylistId(reference) : '';
    const chargeFor = (quantity: number) => ({
      what: reference,
      operation: kind,
      amount: priceOf(kind, { quantity }),
      requests: 1,
      videoId: null,
    });
    const { made, creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, {
      operation: kind,
      quote: [chargeFor(limit)],
      run: async () => {
        const listing =
          kind === 'playlist'
            ? await engine.listPlaylist({ playlistId, limit }, { signal })
            : await engine.listChannel({ reference, limit }, { signal });
        return { made: listing, charges: [chargeFor(listing.videos.length)] };
      },
    });
    return { listing: made, creditsCharged, eventId };
  };
