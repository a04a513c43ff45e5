import type { Commands } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Queries } from '../../../queries.ts';
import { keyRoute, type Route } from '../endpoint.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { type HttpResponse, json, receiptHeaders } from '../middleware/response.ts';
import * as endpoints from './ai-endpoints.ts';
import { aiStatusJson, type Given, insightJson, operationOf, quoteJson } from './ai-json.ts';

type AiCommands = Pick<Commands, 'performInsight'>;

type AiDeps = {
  readonly commands: AiCommands & Pick<Commands, 'quoteInsight'>;
  readonly queries: Pick<Queries, 'aiStatus'>;
};

export type Asked = Given & endpoints.OfVideo;

const videoOf = (asked: Asked) => ({
  reference: endpoints.referenceOf(asked),
  language: endpoints.languageOf(asked),
});

/** Does an operation on a video and answers it in the words of the API, whatever the protocol around it. */
export const insightAnswer =
  (commands: AiCommands) =>
  async (call: Call, asked: Asked): Promise<HttpResponse> => {
    const done = await commands.performInsight(call, videoOf(asked), operationOf(asked));
    return json(insightJson(done), { headers: receiptHeaders(done) });
  };

/** What can be made of a transcript, and whether a model makes it. */
export const ai = ({ commands, queries }: AiDeps): Route[] => {
  const answer = insightAnswer(commands);
  return [
    keyRoute(endpoints.aiStatus, async () => json(aiStatusJson(queries.aiStatus()))),
    ...endpoints.insightEndpoints.map((endpoint) =>
      keyRoute(endpoint, async ({ requestInfo, call, body }) => {
        const { operation } = endpoint;
        // Each endpoint takes the fields of its own operation.
        const asked = { operation, ...body } as Asked;
        if (!isDryRun(requestInfo.request.headers)) return answer(call, asked);
        const isOriginal = asked.operation === 'translate' && asked.mode === 'original';
        const quote = commands.quoteInsight({ operation, ...videoOf(asked), isOriginal });
        return json(quoteJson(operation, quote));
      }),
    ),
  ];
};
