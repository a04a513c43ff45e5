import type { z } from 'zod';
import { type JobOperationResult, type Transcript, videoLink } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { jobResultSchema } from '../../../contract/jobs.ts';
import { operationAnswer } from '../../../contract/operations.ts';
import { rowsUpTo } from '../../../kernel/rows-up-to.ts';
import type { DetailedItemRow, Queries } from '../../../queries.ts';
import { transcriptJson } from './transcript-body.ts';

/** Concurrent reads of transcripts. */
const fetchesAtOnce = 8;

/** An item that has ended, with what is kept of it; a transcript that cannot be had at this moment is null. */
export type JobResult = {
  readonly item: DetailedItemRow;
  readonly transcript: Transcript | null;
  readonly operations: readonly JobOperationResult[];
};

export type ResultPage = {
  readonly results: readonly JobResult[];
  readonly hasMore: boolean;
  /** The cursor that leads on, also where nothing follows yet. */
  readonly end: string | null;
};

/** The cursor that leads on behind an item. */
export const cursorBehind = ({ endedPosition, itemId }: DetailedItemRow): string => `${endedPosition}.${itemId}`;

/** The queries behind `resultsAfter`. */
export type ResultQuery = 'jobResults' | 'operationResults' | 'resultTranscript';

/** Results of a job behind a cursor, in the order in which their items ended. */
export const resultsAfter = async (
  queries: Pick<Queries, ResultQuery>,
  jobId: string,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
  signal: AbortSignal,
): Promise<ResultPage> => {
  const [after = null, afterItem = null] = cursor?.split('.') ?? [];
  const { rows: items, hasMore } = await rowsUpTo(limit, (most) =>
    queries.jobResults(jobId, { limit: most, after, afterItem }),
  );
  const transcripts: (Transcript | null)[] = items.map(() => null);
  const left = items.entries();
  const fetch = async (): Promise<void> => {
    for (const [index, item] of left) transcripts[index] = await queries.resultTranscript(item, signal);
  };
  await Promise.all(Array.from({ length: fetchesAtOnce }, fetch));
  const made = Map.groupBy(await queries.operationResults(items.map(({ itemId }) => itemId)), ({ itemId }) => itemId);
  const last = items.at(-1);
  return {
    results: items.map((item, index) => ({
      item,
      transcript: transcripts[index] ?? null,
      operations: made.get(item.itemId) ?? [],
    })),
    hasMore,
    end: last === undefined ? cursor : cursorBehind(last),
  };
};

const resultAnswer = answerOf(jobResultSchema);

/** An item that has ended, with what was read of it. An operation has the body that it answers by itself. */
export const resultJson = ({ item, transcript, operations }: JobResult): z.input<typeof jobResultSchema> =>
  resultAnswer(item, {
    url: item.videoId === null ? null : videoLink(item.videoId),
    transcript: transcript === null ? null : transcriptJson(transcript),
    operations: operations.map(({ done, credits, chargeId }) => ({
      operation: done.call.operation,
      result: operationAnswer(done),
      credits_charged: chargeId === null ? 0 : credits,
      charge_id: chargeId,
    })),
  });
