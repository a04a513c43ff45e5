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
  /** Keeps captions that were charged. Never throws: what was paid for is answered even if it cannot be kept. */
  readonly keep: (call: Call, extraction: Extraction) => Promise<void>;
};
