import { type InsightOperation, timestampOf } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { Route } from '../endpoint.ts';
import * as endpoints from '../v1/ai-endpoints.ts';
import type { Words } from './messages/language.ts';
import { type PageRequest, page, type WebsiteDeps } from './page.ts';
import { type OperationResult, operationPage } from './pages/operation.tsx';
import { type OperationTab, operationTabs } from './parts/tabs.tsx';

/** The operations on a transcript as pages: a form with its price, then the result with its receipt. */
export const operationPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/t/:id/:tab' }, (request) => {
    const { id, tab } = wantedOf(request);
    const fields = Object.fromEntries(request.query);
    return shown(deps, request, { id, tab, fields, result: null });
  }),
  page(deps, { method: 'POST', path: '/t/:id/:tab' }, async (request) => {
    const { id, tab } = wantedOf(request);
    const fields = Object.fromEntries(request.form);
    const price = quoteOf(deps, tab, id, fields['mode'] === 'original').credits;
    const result = await request.pay(price, (call) =>
      run[tab](deps, call, { ...fields, video_id: id }, request.context.words),
    );
    const receiptUrl =
      request.user === null || result.eventId === null ? null : `/account/ledger/${result.eventId}`;
    return shown(deps, request, { id, tab, fields, result: { ...result, receiptUrl } });
  }),
];

const operationOf = (tab: OperationTab): InsightOperation =>
  tab === 'summary' ? 'summarize' : tab;

const wantedOf = ({ params }: PageRequest): { id: string; tab: OperationTab } => {
  const tab = operationTabs.find((name) => name === params['tab']);
  if (tab === undefined) throw new Refusal('NOT_FOUND', 'There is nothing at this address.');
  return { id: params['id'] ?? '', tab };
};

const quoteOf = (deps: WebsiteDeps, tab: OperationTab, reference: string, isOriginal = false) =>
  deps.commands.quoteInsight({ operation: operationOf(tab), reference, isOriginal });

const shown = (
  deps: WebsiteDeps,
  { context }: PageRequest,
  {
    id,
    tab,
    fields,
    result,
  }: {
    readonly id: string;
    readonly tab: OperationTab;
    readonly fields: Readonly<Record<string, string>>;
    readonly result: OperationResult | null;
  },
): string => {
  const { videoId, credits } = quoteOf(deps, tab, id);
  return operationPage(context, {
    tab,
    videoId,
    language: fields['lang'] || null,
    price: credits,
    isExtractOnly: !deps.queries.aiStatus().isEnabled,
    fields,
    result,
  });
};

type Done = Omit<OperationResult, 'receiptUrl'> & { readonly eventId: string | null };
type Fields = Readonly<Record<string, string>>;

const nothing = { text: null, isDocument: false, places: [], notice: null } as const;

type Answered = {
  readonly model: string | null;
  readonly isFallback: boolean;
  readonly language: string | null;
  readonly creditsCharged: number;
  readonly eventId: string | null;
};

const receiptOf = ({ model, isFallback, language, creditsCharged, eventId }: Answered) => ({
  ...{ madeBy: { model, isFallback }, language, creditsCharged, eventId },
});

const videoOf = (fields: Fields) => ({
  reference: fields['video_id'] ?? '',
  language: fields['lang'] || null,
});

/** Fields of a form that were left empty are not sent. */
const filled = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** The forms are validated by the schemas of the API, so that both refuse the same. */
const run: Readonly<
  Record<
    OperationTab,
    (deps: WebsiteDeps, call: Call, fields: Fields, words: Words) => Promise<Done>
  >
> = {
  async summary({ commands }, call, fields) {
    const { length, output_lang = null } = endpoints.summarize.body.parse(filled(fields));
    const answered = await commands.performInsight(call, videoOf(fields), {
      operation: 'summarize',
      params: { length, outputLanguage: output_lang },
    });
    return { ...nothing, ...receiptOf(answered), text: answered.result.summary };
  },
  async chapters({ commands }, call, fields) {
    const { output_lang = null } = endpoints.chapters.body.parse(filled(fields));
    const answered = await commands.performInsight(call, videoOf(fields), {
      operation: 'chapters',
      params: { outputLanguage: output_lang },
    });
    const places = answered.result.chapters.map((one) => ({ ...one, text: '' }));
    return { ...nothing, ...receiptOf(answered), places };
  },
  async ask({ commands }, call, fields) {
    const { question, output_lang = null } = endpoints.ask.body.parse(filled(fields));
    const answered = await commands.performInsight(call, videoOf(fields), {
      operation: 'ask',
      params: { question, outputLanguage: output_lang },
    });
    const { answer, citations, grounded } = answered.result;
    const told = grounded ? { text: answer } : { notice: answer };
    return { ...nothing, ...receiptOf(answered), ...told, places: citations };
  },
  async search({ commands }, call, fields) {
    const { query, limit } = endpoints.search.body.parse(filled(fields));
    const answered = await commands.performInsight(call, videoOf(fields), {
      operation: 'search',
      params: { query, limit },
    });
    return { ...nothing, ...receiptOf(answered), madeBy: null, places: answered.result };
  },
  async quotes({ commands }, call, fields) {
    const wanted = { operation: 'quotes', params: {} } as const;
    const answered = await commands.performInsight(call, videoOf(fields), wanted);
    return { ...nothing, ...receiptOf(answered), places: answered.result.quotes };
  },
  async clips({ commands }, call, fields) {
    const wanted = { operation: 'clips', params: {} } as const;
    const answered = await commands.performInsight(call, videoOf(fields), wanted);
    const places = answered.result.clips.map(({ label, why, openingLine, ...one }) => ({
      ...one,
      title: label,
      text: openingLine,
      note: why,
    }));
    return { ...nothing, ...receiptOf(answered), places };
  },
  async repurpose({ commands }, call, fields) {
    const { format, output_lang = null } = endpoints.repurpose.body.parse(filled(fields));
    const answered = await commands.performInsight(call, videoOf(fields), {
      operation: 'repurpose',
      params: { format, outputLanguage: output_lang },
    });
    return { ...nothing, ...receiptOf(answered), text: answered.result.content, isDocument: true };
  },
  async translate({ commands }, call, fields, words) {
    const { target_lang: targetLanguage, mode } = endpoints.translate.body.parse(filled(fields));
    const answered = await commands.performInsight(call, videoOf(fields), {
      operation: 'translate',
      params: { targetLanguage, mode },
    });
    const { segments, code } = answered.result;
    const places = segments.map(({ start, text }) => ({
      ...{ start, text },
      timestamp: timestampOf(start * 1_000),
    }));
    const notice = code === 'OK' ? null : words.tabs.notTranslated;
    return { ...nothing, ...receiptOf(answered), places, notice };
  },
};
