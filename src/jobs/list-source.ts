import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Listing } from '../extraction/captions/caption-track.ts';
import type { Call } from '../kernel/call.ts';
import { type Lister, listOf, requireReference } from './list-videos.ts';

/** What a listing would cost at most; nothing is listed. Refuses what is no playlist or channel. */
export const quoteListing = ({
  kind,
  reference,
  limit,
}: {
  readonly kind: 'playlist' | 'channel';
  readonly reference: string;
  readonly limit: number;
}) => {
  requireReference(kind, reference);
  const credits = priceOf(kind, { quantity: limit });
  return {
    operation: kind,
    credits,
    videos: null,
    note: 'Costs 1 credit for each started hundred of videos returned.',
  };
};

/** A listing with its receipt. */
export type PaidListing = Receipt & { readonly listing: Listing };

/**
 * Lists a playlist or a channel and charges one credit for each started hundred of videos. The balance must cover the
 * cost of `limit` before the platform is called. Refusals: INVALID_REQUEST, INSUFFICIENT_CREDITS, those of the engine.
 */
export const listSource =
  ({ engine, ledger }: { readonly engine: Lister; readonly ledger: ChargingLedger }) =>
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
        const listing = await listOf(engine, { kind, reference }, limit, { signal: call.signal });
        return { made: listing, charges: [chargeFor(listing.videos.length)] };
      },
    });
    return { listing: made, creditsCharged, eventId };
  };
