import type { z } from 'zod';
import { answerOf } from '../../../contract/answer-of.ts';
import { aiStatus, operationEndpoints, type operationQuote, videoOf } from '../../../contract/operation-endpoints.ts';
import { type OperationCall, operationAnswer, unavailableJson } from '../../../contract/operations.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

const statusAnswer = answerOf(aiStatus.answers[200].schema);

/** What can be made of a transcript, and whether a model makes it. */
export const ai = ({ commands, queries }: Application<'performInsight' | 'quoteInsight', 'aiStatus'>): Route[] => [
  keyRoute(aiStatus, async () => {
    const status = queries.aiStatus();
    return json(statusAnswer(status, { ai_enabled: status.isEnabled }));
  }),
  ...operationEndpoints.map((endpoint) =>
    keyRoute(endpoint, async ({ requestInfo, call, body }) => {
      const { operation } = endpoint;
      // Each endpoint takes the input of its own operation.
      const wanted = { ...body, operation } as OperationCall;
      if (!isDryRun(requestInfo.request.headers)) {
        const done = await commands.performInsight(call, videoOf(body), wanted);
        return json(operationAnswer(done), { headers: receiptHeaders(done) });
      }
      const video = videoOf(body);
      const quote = await commands.quoteInsight({ operation, ...video, call: wanted });
      const answer: z.input<typeof operationQuote> = {
        dry_run: true,
        operation,
        video_id: quote.videoId,
        credits: quote.credits,
        credits_if_fallback: quote.creditsIfFallback,
        ...(quote.note === null ? {} : { note: quote.note }),
        ...unavailableJson(quote.unavailable),
      };
      return json(answer);
    }),
  ),
];
