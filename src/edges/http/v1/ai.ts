import type { z } from 'zod';
import type { Commands, InsightOperation, Receipt } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Queries } from '../../../queries.ts';
import { keyRoute, type RequestInfo, type Route } from '../endpoint.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { type HttpResponse, json, receiptHeaders } from '../middleware/response.ts';
import * as endpoints from './ai-endpoints.ts';
import * as shown from './ai-json.ts';

type AiCommands = Pick<Commands, InsightOperation>;

type AiDeps = {
  readonly commands: AiCommands & Pick<Commands, 'quoteInsight'>;
  readonly queries: Pick<Queries, 'aiStatus'>;
};

type OfVideo = Parameters<typeof endpoints.referenceOf>[0];

const videoOf = (body: OfVideo) => ({
  reference: endpoints.referenceOf(body),
  language: endpoints.languageOf(body),
});

const charged = <Answered extends Receipt>(
  answered: Answered,
  toJson: (answered: Answered) => unknown,
): HttpResponse => json(toJson(answered), { headers: receiptHeaders(answered) });

/** What an operation takes, once it is validated. */
export type InsightBody<Name extends InsightOperation> = z.output<(typeof endpoints)[Name]['body']>;

/** Does each operation and answers it in the words of the API, whatever the protocol around it. */
export const insightAnswers = (
  commands: AiCommands,
): {
  readonly [Name in InsightOperation]: (
    call: Call,
    body: InsightBody<Name>,
  ) => Promise<HttpResponse>;
} => ({
  async ask(call, body) {
    const { question, output_lang: outputLanguage = null } = body;
    const answered = await commands.ask(call, { ...videoOf(body), question, outputLanguage });
    return charged(answered, (one) => shown.askJson(one, question));
  },
  async summarize(call, body) {
    const { length, output_lang: outputLanguage = null } = body;
    const answered = await commands.summarize(call, { ...videoOf(body), length, outputLanguage });
    return charged(answered, (one) => shown.summaryJson(one, length));
  },
  async chapters(call, body) {
    const { output_lang: outputLanguage = null } = body;
    const answered = await commands.chapters(call, { ...videoOf(body), outputLanguage });
    return charged(answered, shown.chaptersJson);
  },
  async search(call, body) {
    const { query, limit } = body;
    const answered = await commands.search(call, { ...videoOf(body), query, limit });
    return charged(answered, (one) => shown.searchJson(one, query));
  },
  async quotes(call, body) {
    return charged(await commands.quotes(call, videoOf(body)), shown.quotesJson);
  },
  async repurpose(call, body) {
    const { format, output_lang: outputLanguage = null } = body;
    const answered = await commands.repurpose(call, { ...videoOf(body), format, outputLanguage });
    return charged(answered, (one) => shown.repurposedJson(one, format));
  },
  async clips(call, body) {
    return charged(await commands.clips(call, videoOf(body)), shown.clipsJson);
  },
  async translate(call, body) {
    const { target_lang: target, mode } = body;
    const wanted = { ...videoOf(body), targetLanguage: target, mode };
    const answered = await commands.translate(call, wanted);
    return charged(answered, (one) => shown.translationJson(one, { mode, target }));
  },
});

/** What can be made of a transcript, and whether a model makes it. */
export const ai = ({ commands, queries }: AiDeps): Route[] => {
  const answers = insightAnswers(commands);

  /** Does an operation, or on a dry run tells what it would cost. */
  const done = async (
    {
      requestInfo,
      body,
    }: { readonly requestInfo: RequestInfo; readonly body: OfVideo & { readonly mode?: string } },
    operation: InsightOperation,
    answer: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> => {
    if (!isDryRun(requestInfo.request.headers)) return answer();
    const isOriginal = body.mode === 'original';
    const quote = commands.quoteInsight({ operation, ...videoOf(body), isOriginal });
    return json(shown.quoteJson(operation, quote));
  };

  return [
    keyRoute(endpoints.aiStatus, async () => json(shown.aiStatusJson(queries.aiStatus()))),
    keyRoute(endpoints.ask, (input) =>
      done(input, 'ask', () => answers.ask(input.call, input.body)),
    ),
    keyRoute(endpoints.summarize, (input) =>
      done(input, 'summarize', () => answers.summarize(input.call, input.body)),
    ),
    keyRoute(endpoints.chapters, (input) =>
      done(input, 'chapters', () => answers.chapters(input.call, input.body)),
    ),
    keyRoute(endpoints.search, (input) =>
      done(input, 'search', () => answers.search(input.call, input.body)),
    ),
    keyRoute(endpoints.quotes, (input) =>
      done(input, 'quotes', () => answers.quotes(input.call, input.body)),
    ),
    keyRoute(endpoints.repurpose, (input) =>
      done(input, 'repurpose', () => answers.repurpose(input.call, input.body)),
    ),
    keyRoute(endpoints.clips, (input) =>
      done(input, 'clips', () => answers.clips(input.call, input.body)),
    ),
    keyRoute(endpoints.translate, (input) =>
      done(input, 'translate', () => answers.translate(input.call, input.body)),
    ),
  ];
};
