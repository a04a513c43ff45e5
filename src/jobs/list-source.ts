import { listingPriceNote } from '../contract/listings.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Listing } from '../extraction/captions/caption-track.ts';
import type { Call } from '../kernel/call.ts';
import { type Lister, listOf, requireReference } from './list-videos.ts';

type WantedListing = { readonly kind: 'playlist' | 'channel'; readonly reference: string; readonly limit: number };

/** What a listing would cost at most; nothing is listed. Refuses what is no playlist or channel. */
export const quoteListing = ({ kind, reference, limit }: WantedListing) => {
  requireReference(kind, reference);
  const credits = priceOf(kind, { quantity: limit });
  return { operation: kind, credits, videos: null, note: listingPriceNote };
};

/** Where a page of a listing begins: so many videos come before it, the last of which is `after`. */
export type ListingStart = { readonly offset: number; readonly after: string };

/** A listing with its receipt; `next` is where the page after it begins, null where the listing ends. */
export type PaidListing = Receipt & { readonly listing: Listing; readonly next: ListingStart | null };

/**
 * Lists a playlist or a channel, or with `start` a page of it, and charges one credit for each started hundred of its
 * videos. The balance must cover the cost of `limit` before the platform is called. A page goes on behind the last video
 * of the page before, also where videos came in front of it meanwhile. Refusals: INVALID_REQUEST, INSUFFICIENT_CREDITS,
 * those of the engine.
 */
export const listSource =
  ({ engine, ledger }: { readonly engine: Lister; readonly ledger: ChargingLedger }) =>
  async (
    call: Call,
    { kind, reference, limit, start = null }: WantedListing & { readonly start?: ListingStart | null },
  ): Promise<PaidListing> => {
    requireReference(kind, reference);
    const chargeFor = (quantity: number) => ({
      what: reference,
      operation: kind,
      amount: priceOf(kind, { quantity }),
      pricedBy: { quantity },
      requests: 1,
      videoId: null,
    });
    const { made, creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, {
      operation: kind,
      quote: [chargeFor(limit)],
      run: async () => {
        const wanted = (start?.offset ?? 0) + limit;
        const listing = await listOf(engine, { kind, reference }, wanted, { signal: call.signal });
        const page = pageOf(listing, start, limit);
        return { made: page, charges: [chargeFor(page.listing.videos.length)] };
      },
    });
    return { ...made, creditsCharged, eventId };
  };

const pageOf = (listing: Listing, start: ListingStart | null, limit: number): Pick<PaidListing, 'listing' | 'next'> => {
  const { videos } = listing;
  const known = start === null ? 0 : videos.findLastIndex(({ videoId }) => videoId === start.after) + 1;
  const from = known === 0 ? (start?.offset ?? 0) : known;
  const page = videos.slice(from, from + limit);
  const end = from + page.length;
  const last = videos[end - 1];
  const hasMore = listing.hasMore || end < videos.length;
  return {
    listing: { ...listing, hasMore, videos: page },
    next: hasMore && last !== undefined ? { offset: end, after: last.videoId } : null,
  };
};
