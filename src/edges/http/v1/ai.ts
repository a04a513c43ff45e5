import type { Commands } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Queries } from '../../../queries.ts';
import { keyRoute, type RequestInfo, type Route } from '../endpoint.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { type HttpResponse, json, receiptHeaders } from '../middleware/response.ts';
import * as endpoints from './ai-endpoints.ts';
import { aiStatusJson, type Given, insightJson, operationOf, quoteJson } from './ai-json.ts';

type AiCommands = Pick<Commands, 'performInsight'>;

type AiDeps = {
  readonly commands: AiCommands & Pick<Commands, 'quoteInsight'>;
  readonly queries: Pick<Queries, 'aiStatus'>;
};

type Asked = Given & endpoints.OfVideo;

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

  /** Does an operation, or on a dry run tells what it would cost. */
  const done = async (
    { requestInfo, call }: { readonly requestInfo: RequestInfo; readonly call: Call },
    asked: Asked,
  ): Promise<HttpResponse> => {
    if (!isDryRun(requestInfo.request.headers)) return answer(call, asked);
    const { operation } = asked;
    const isOriginal = operation === 'translate' && asked.mode === 'original';
    const quote = commands.quoteInsight({ operation, ...videoOf(asked), isOriginal });
    return json(quoteJson(operation, quote));
  };

  return [
    keyRoute(endpoints.aiStatus, async () => json(aiStatusJson(queries.aiStatus()))),
    keyRoute(endpoints.ask, (input) => done(input, { operation: 'ask', ...input.body })),
    keyRoute(endpoints.summarize, (input) =>
      done(input, { operation: 'summarize', ...input.body }),
    ),
    keyRoute(endpoints.chapters, (input) => done(input, { operation: 'chapters', ...input.body })),
    keyRoute(endpoints.search, (input) => done(input, { operation: 'search', ...input.body })),
    keyRoute(endpoints.quotes, (input) => done(input, { operation: 'quotes', ...input.body })),
    keyRoute(endpoints.repurpose, (input) =>
      done(input, { operation: 'repurpose', ...input.body }),
    ),
    keyRoute(endpoints.clips, (input) => done(input, { operation: 'clips', ...input.body })),
    keyRoute(endpoints.translate, (input) =>
      done(input, { operation: 'translate', ...input.body }),
    ),
  ];
};
