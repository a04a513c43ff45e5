import type { Commands, InsightOperation, Receipt } from '../../../commands.ts';
import type { Queries } from '../../../queries.ts';
import { keyRoute, type Route, type Visit } from '../endpoint.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { type HttpResponse, json, receiptHeaders } from '../middleware/response.ts';
import * as endpoints from './ai-endpoints.ts';
import * as shown from './ai-json.ts';

type AiDeps = {
  readonly commands: Pick<Commands, InsightOperation | 'quoteInsight'>;
  readonly queries: Pick<Queries, 'aiStatus'>;
};

type OfVideo = Parameters<typeof endpoints.referenceOf>[0];

const videoOf = (body: OfVideo) => ({
  reference: endpoints.referenceOf(body),
  language: endpoints.languageOf(body),
});

/** What can be made of a transcript, and whether a model makes it. */
export const ai = ({ commands, queries }: AiDeps): Route[] => {
  /** Does an operation, or on a dry run tells what it would cost. */
  const done = async <Answered extends Receipt>(
    { visit, body }: { readonly visit: Visit; readonly body: OfVideo & { readonly mode?: string } },
    operation: InsightOperation,
    command: () => Promise<Answered>,
    toJson: (answered: Answered) => unknown,
  ): Promise<HttpResponse> => {
    if (isDryRun(visit.request.headers)) {
      const isOriginal = body.mode === 'original';
      const quote = commands.quoteInsight({ operation, ...videoOf(body), isOriginal });
      return json(shown.quoteJson(operation, quote));
    }
    const answered = await command();
    return json(toJson(answered), { headers: receiptHeaders(answered) });
  };

  return [
    keyRoute(endpoints.aiStatus, async () => json(shown.aiStatusJson(queries.aiStatus()))),

    keyRoute(endpoints.ask, (input) => {
      const { question, output_lang: outputLanguage = null } = input.body;
      const wanted = { ...videoOf(input.body), question, outputLanguage };
      const ask = () => commands.ask(input.call, wanted);
      return done(input, 'ask', ask, (answered) => shown.askJson(answered, question));
    }),

    keyRoute(endpoints.summarize, (input) => {
      const { length, output_lang: outputLanguage = null } = input.body;
      const wanted = { ...videoOf(input.body), length, outputLanguage };
      const summarize = () => commands.summarize(input.call, wanted);
      return done(input, 'summarize', summarize, (answered) => shown.summaryJson(answered, length));
    }),

    keyRoute(endpoints.chapters, (input) => {
      const { output_lang: outputLanguage = null } = input.body;
      const wanted = { ...videoOf(input.body), outputLanguage };
      const find = () => commands.chapters(input.call, wanted);
      return done(input, 'chapters', find, shown.chaptersJson);
    }),

    keyRoute(endpoints.search, (input) => {
      const { query, limit } = input.body;
      const wanted = { ...videoOf(input.body), query, limit };
      const search = () => commands.search(input.call, wanted);
      return done(input, 'search', search, (answered) => shown.searchJson(answered, query));
    }),

    keyRoute(endpoints.quotes, (input) => {
      const quote = () => commands.quotes(input.call, videoOf(input.body));
      return done(input, 'quotes', quote, shown.quotesJson);
    }),

    keyRoute(endpoints.repurpose, (input) => {
      const { format, output_lang: outputLanguage = null } = input.body;
      const wanted = { ...videoOf(input.body), format, outputLanguage };
      const write = () => commands.repurpose(input.call, wanted);
      return done(input, 'repurpose', write, (answered) => shown.repurposedJson(answered, format));
    }),

    keyRoute(endpoints.clips, (input) => {
      const find = () => commands.clips(input.call, videoOf(input.body));
      return done(input, 'clips', find, shown.clipsJson);
    }),

    keyRoute(endpoints.translate, (input) => {
      const { target_lang: targetLanguage, mode } = input.body;
      const wanted = { ...videoOf(input.body), targetLanguage, mode };
      const translate = () => commands.translate(input.call, wanted);
      return done(input, 'translate', translate, (answered) =>
        shown.translationJson(answered, { mode, target: targetLanguage }),
      );
    }),
  ];
};
