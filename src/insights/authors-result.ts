import { type OperationCall, operationNamed } from '../contract/operations.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import type { Engine } from '../extraction/captions/caption-track.ts';
import { chooseTrack } from '../extraction/tracks.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { CaptionRequest } from '../transcripts/read-transcript.ts';
import { authorsResult, type PerformedOperation, type PerformInsight } from './run-operation.ts';

type Deps = { readonly engine: Pick<Engine, 'knownVideo' | 'readVideo'>; readonly ledger: ChargingLedger };

/** Whether the author of a video may have made the result, which is free then. */
const mayBeAuthors = ({ operation }: OperationCall): boolean => operationNamed(operation).credits.author === 0;

/** What the author made of a video that was read before, with nothing read now; null: nothing that is known. */
export const knownOfAuthor = async (
  { knownVideo }: Pick<Engine, 'knownVideo'>,
  videoId: string,
  call: OperationCall,
  { language, captions }: Pick<CaptionRequest, 'language' | 'captions'>,
): Promise<PerformedOperation | null> => {
  if (!mayBeAuthors(call)) return null;
  const known = await knownVideo(videoId);
  // A language that the video lacks is refused by the reading, as everywhere.
  const choice = known === null ? null : chooseTrack(known, language, captions);
  const made = known === null || choice === null ? null : authorsResult(known.video, call);
  return made === null || choice === null ? null : { ...made.done, language: choice.track.language };
};

/**
 * Performs an operation, unless the author of the video made its result. That is free whatever the balance is: where the
 * balance does not cover the operation, the video is read first, which costs nothing.
 */
export const orOfAuthor =
  ({ engine, ledger }: Deps, perform: PerformInsight): PerformInsight =>
  async (call, video, wanted) => {
    const videoId = requireVideoId(video.reference);
    const giveKnown = async () => {
      const known = await knownOfAuthor(engine, videoId, wanted, video);
      return known === null ? null : await giveFree(ledger, call, known);
    };
    const given = await giveKnown();
    if (given !== null) return given;
    try {
      return await perform(call, video, wanted);
    } catch (error) {
      const isShort = error instanceof Refusal && error.code === 'INSUFFICIENT_CREDITS';
      if (!isShort || !mayBeAuthors(wanted)) throw error;
      await engine.readVideo(videoId, { signal: call.signal });
      const read = await giveKnown();
      if (read === null) throw error;
      return read;
    }
  };

/** Recorded as served, without a charge. */
const giveFree = async (
  ledger: ChargingLedger,
  call: Call,
  made: PerformedOperation,
): Promise<PerformedOperation & Receipt> => {
  const free = { operation: made.call.operation, quote: [], run: async () => ({ made, charges: [] }) };
  const { creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, free);
  return { ...made, creditsCharged, eventId };
};
