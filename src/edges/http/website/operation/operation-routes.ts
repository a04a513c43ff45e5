import type { Transcript } from '../../../../commands.ts';
import { operationEndpoints, videoOf } from '../../../../contract/operation-endpoints.ts';
import { type OperationCall, operationAnswer, operations, shownOf } from '../../../../contract/operations.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import { notFound } from '../../middleware/error-handler.ts';
import type { HttpResponse } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { captionsIn, type PageRequest, page, pageInPieces, readAgain, repeatable, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import type { PageOperation } from '../parts/tabs.tsx';
import { type OperationView, operationPage } from './operation-page.tsx';

/** The operations on a transcript as pages: a form with its price, then the result with its receipt. */
export const operationRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/t/:id/:tab' }, (request) => {
    const { id, operation } = wantedOf(request);
    const fields = Object.fromEntries(request.query);
    return shown(deps, request, { id, operation, fields, result: null });
  }),
  // Its result is kept, not its page: that has the forms of what can be asked next.
  page(deps, { method: 'POST', path: '/t/:id/:tab', isOnce: repeatable }, async (request) => {
    const { id, operation } = wantedOf(request);
    const fields = Object.fromEntries(request.form);
    const { video, wanted } = callOf(operation, id, fields);
    const done = await request.payOnce((call) => deps.commands.performInsight(call, video, wanted));
    const receiptUrl = request.user === null || done.eventId === null ? null : `/account/ledger/${done.eventId}`;
    const isUnavailable = operationAnswer(done)['code'] === 'FEATURE_UNAVAILABLE';
    const result = { ...done, shown: shownOf(done), isUnavailable, receiptUrl };
    return shown(deps, request, { id, operation, fields, result });
  }),
];

const wantedOf = ({ params }: PageRequest): { id: string; operation: PageOperation } => {
  const operation = operations.find(({ page }) => page === params['tab']) ?? notFound();
  return { id: params['id'] ?? '', operation };
};

type Fields = Readonly<Record<string, string>>;

const bodies = new Map(operationEndpoints.map(({ operation, body }) => [operation, body]));

/** The body of the endpoint validates the form, so that both refuse the same. Fields that were left empty are not sent. */
const callOf = ({ name }: PageOperation, id: string, fields: Fields) => {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  const body = bodyOf({ body: bodies.get(name) ?? notFound() }, { ...Object.fromEntries(filled), video_id: id });
  // Each body takes the input of its own operation.
  const wanted = { ...body, operation: name } as OperationCall;
  return { video: videoOf({ ...body }), wanted };
};

const shown = async (
  deps: WebsiteDeps,
  request: PageRequest,
  { id, operation, fields, result }: Pick<OperationView, 'operation' | 'fields' | 'result'> & { readonly id: string },
): Promise<HttpResponse> => {
  const { context, pay, requestInfo } = request;
  const { videoId, credits } = await deps.commands.quoteInsight({ operation: operation.name, reference: id });
  const paid = await pay((call) => deps.commands.paidCaptions(call, [videoId]));
  const language = fields['lang'] || null;
  const isRead = paid.some((each) => language === null || each.language === language);
  const view = operationPage(context, {
    operation,
    videoId,
    language,
    captions: fields['captions'] || null,
    isRead,
    transcript: isRead ? await transcriptBeside(deps, request, videoId, fields) : null,
    price: credits,
    isExtractOnly: !deps.queries.aiStatus().isEnabled,
    fields,
    result,
  });
  return pageInPieces(requestInfo.request, view);
};

/** The transcript that the reader has paid for; null where it is not free, or cannot be had now: the result is shown without. */
const transcriptBeside = async (
  { commands }: WebsiteDeps,
  { pay }: PageRequest,
  reference: string,
  fields: Fields,
): Promise<Transcript | null> => {
  const captions = captionsIn(new URLSearchParams(fields));
  const wanted = { reference, ...captions, clean: false, timestamps: false, format: 'json' } as const;
  try {
    const read = await pay((call) => commands.showTranscript(call, { ...wanted, ...readAgain }));
    return read.kind === 'shown' ? read.transcript : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
};
