import { type Charge, chargeIdOf } from '../credits/charge-credits.ts';
import type { ChargedWork } from '../credits/charge-on-success.ts';
import type { Extraction } from '../extraction/captions/caption-track.ts';
import type { Call } from '../kernel/call.ts';

/** The port of the library: keeps what an account reads, where it wants that. */
export type CaptionKeeper = {
  /**
   * Whether this call keeps what it reads: as it says, else as its account has chosen; a visitor keeps nothing. Refuses with
   * LIBRARY_FULL where the call asks for it and the library has no room. `videoId` null: not known yet.
   */
  readonly wants: (
    call: Pick<Call, 'accountId' | 'allowance'>,
    keep: boolean | undefined,
    videoId: string | null,
  ) => Promise<boolean>;
  /**
   * Notes captions that are kept once this charge is in the log, before it is made: what a process that ends in between did
   * not keep, a worker keeps.
   */
  readonly prepare: (accountId: string, extraction: Extraction, chargeId: string) => Promise<void>;
  /** Keeps captions that were charged. Never throws: what was paid for is answered even if it cannot be kept. */
  readonly keep: (call: Call, extraction: Extraction) => Promise<void>;
};

type CaptionsCharged = { readonly extraction: Extraction; readonly charge: Charge };

/** What charged work does before its charges so that these captions are kept. */
export const preparingToKeep = (
  keeper: Pick<CaptionKeeper, 'prepare'>,
  isKept: boolean,
  charged: readonly CaptionsCharged[],
): Pick<Awaited<ReturnType<ChargedWork<unknown>['run']>>, 'beforeCharges'> =>
  isKept
    ? {
        beforeCharges: async (context) => {
          for (const { extraction, charge } of charged) {
            await keeper.prepare(context.accountId, extraction, chargeIdOf(context, charge));
          }
        },
      }
    : {};
