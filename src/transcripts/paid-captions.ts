import type { Extraction } from '../extraction/captions/caption-track.ts';
import { type Call, readerOf } from '../kernel/call.ts';

/** Captions that a reader has paid for, by their content: `contentSha256` is what `paidContentOf` says. */
export type PaidCaptions = { readonly videoId: string; readonly contentSha256: string; readonly language: string };

/** The port of the store of what readers have paid for within 24 hours. A reader is an account or a visitor. */
export type PaidCaptionsStore = {
  readonly of: (reader: string, videoIds: readonly string[]) => Promise<readonly PaidCaptions[]>;
  /** Every later `of` of this process finds it, those of others within a tenth of a second. Never throws. */
  readonly note: (reader: string, paid: PaidCaptions) => void;
};

/**
 * The name of what was paid for. Recognized speech has a price of its own and never stands for captions, or they for it,
 * even where both say the same.
 */
export const paidContentOf = ({ contentSha256, track: { kind } }: Extraction): string =>
  kind === 'recognized' ? `asr:${contentSha256}` : contentSha256;

/** Notes captions that were charged. */
export const notePaid = (
  store: Pick<PaidCaptionsStore, 'note'>,
  call: Pick<Call, 'accountId' | 'allowance'>,
  extraction: Extraction,
): void => {
  const { video, track } = extraction;
  const contentSha256 = paidContentOf(extraction);
  store.note(readerOf(call), { videoId: video.videoId, contentSha256, language: track.language });
};
