import { recognitionPrice, type TranscriptFormat } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import { uuidOf } from '../../../kernel/ids.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import type { Route } from '../endpoint.ts';
import { bytes, type HttpResponse } from '../middleware/response.ts';
import { bodyOf } from '../v1/transcript-json.ts';
import { contentTypes } from '../v1/transcripts.ts';
import {
  html,
  languageIn,
  type PageRequest,
  page,
  pageHeaders,
  pageInPieces,
  type UserRequest,
  userPage,
  type WebsiteDeps,
} from './page.ts';
import { noCaptionsPage } from './pages/failure.tsx';
import { type TranscriptView, transcriptPage } from './pages/transcript.tsx';
import { daysOld } from './parts/once.ts';

/** The transcript of a video as a page and as files: of its captions, or of its speech. */
export const transcriptPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/t/:file' }, (request) => {
    const { id, format } = fileOf(request.params['file'] ?? '');
    return format === null ? ofCaptions(deps, request, id) : download(deps, request, id, format);
  }),
  userPage(deps, { method: 'POST', path: '/t/:file', rateLimit: 'public' }, (request) =>
    ofSpeech(deps, request),
  ),
];

const formats: Readonly<Record<string, TranscriptFormat>> = {
  txt: 'txt',
  srt: 'srt',
  vtt: 'vtt',
  md: 'markdown',
  json: 'json',
};

const fileOf = (file: string): { id: string; format: TranscriptFormat | null } => {
  const at = file.lastIndexOf('.');
  const format = at === -1 ? undefined : formats[file.slice(at + 1)];
  return format === undefined ? { id: file, format: null } : { id: file.slice(0, at), format };
};

/** `options`: the query of an address, or the fields of a form. */
const wantedOf = (options: URLSearchParams, reference: string) => ({
  reference,
  language: languageIn(options),
  clean: options.get('clean') === 'true',
});

/** How a transcript is shown. Browsers send no box that is not ticked: `boxes` says that there were some. */
const shownAs = (options: URLSearchParams) => ({
  isClean: options.get('clean') === 'true',
  hasTimes: (options.get('timestamps') ?? String(!options.has('boxes'))) !== 'false',
  isReading: options.get('view') === 'reading',
});

const receiptOf = (
  { user }: PageRequest,
  { eventId }: { readonly eventId: string | null },
): string | null => (user === null || eventId === null ? null : `/account/ledger/${eventId}`);

const ofCaptions = async (
  deps: WebsiteDeps,
  request: PageRequest,
  id: string,
): Promise<HttpResponse> => {
  const { query } = request;
  const wanted = wantedOf(query, id);
  const shown = shownAs(query);
  const hasChapters = shown.isReading && query.get('chapters') === 'true';
  const { credits: chaptersPrice } = deps.commands.quoteInsight({
    operation: 'chapters',
    reference: id,
  });
  const read = async (call: Call) => {
    const shape = { format: 'json', timestamps: false } as const;
    const result = await deps.commands.readTranscript(call, { ...wanted, ...shape });
    const chapters = hasChapters
      ? await deps.commands.performInsight(call, wanted, {
          operation: 'chapters',
          params: { outputLanguage: null },
        })
      : null;
    return { result, chapters };
  };
  try {
    const { result, chapters } = await request.pay(hasChapters ? 1 + chaptersPrice : 1, read);
    const body = transcriptPage(request.context, {
      ...shown,
      transcript: result.transcript,
      available: result.available,
      chapters: chapters?.result.chapters ?? null,
      chaptersPrice,
      creditsCharged: result.creditsCharged + (chapters?.creditsCharged ?? 0),
      receiptUrl: receiptOf(request, result),
      readAt: deps.clock().toISOString(),
      once: null,
    });
    return pageInPieces(request.requestInfo.request, body);
  } catch (error) {
    if (!isWithoutCaptions(error) || !deps.queries.aiStatus().recognizesSpeech) throw error;
    return offerSpeech(request, id);
  }
};

const offerSpeech = ({ context }: PageRequest, videoId: string): HttpResponse =>
  html(noCaptionsPage(context, { videoId, price: recognitionPrice }), 404);

const isWithoutCaptions = (error: unknown): boolean =>
  error instanceof Refusal &&
  error.code === 'TRANSCRIPT_NOT_AVAILABLE' &&
  error.details?.['reason'] === 'no_captions';

/**
 * What is said in a video without captions, for a click on its price. The page that the click opens has the name of this
 * one reading (`once`) in its forms: other views of it and its files are the same operation, charged once. After a day
 * it is offered anew, at its price.
 */
const ofSpeech = async (deps: WebsiteDeps, request: UserRequest): Promise<HttpResponse> => {
  const { form, user, params } = request;
  const reference = params['file'] ?? '';
  const once = form.get('once') ?? '';
  if (once === '')
    throw invalidRequest('The form is not whole.', { path: 'once', code: 'required' });
  if (daysOld(once, deps.clock()) !== 0) return offerSpeech(request, reference);
  const operationKey = uuidOf(`speech|${user.accountId}|${reference}|${once}`);
  const call: Call = { ...request.call, operationKey, isRepeatable: true };
  const ending = form.get('format');
  const format = ending === null ? 'json' : formats[ending];
  if (format === undefined) {
    throw invalidRequest('There is no such format.', { path: 'format', code: 'invalid_value' });
  }
  const shown = shownAs(form);
  const result = await deps.commands.readTranscript(call, {
    ...wantedOf(form, reference),
    ...{ format, timestamps: ending === 'txt' && shown.hasTimes, recognizesSpeech: true },
  });
  if (ending !== null) return fileAnswer(result, format);
  const view: TranscriptView = {
    ...shown,
    transcript: result.transcript,
    available: result.available,
    chapters: null,
    chaptersPrice: 0,
    creditsCharged: result.creditsCharged,
    receiptUrl: receiptOf(request, result),
    readAt: deps.clock().toISOString(),
    once,
  };
  return pageInPieces(request.requestInfo.request, transcriptPage(request.context, view));
};

/** A transcript as a file: for a click, and for curl. */
const download = async (
  deps: WebsiteDeps,
  request: PageRequest,
  id: string,
  format: TranscriptFormat,
): Promise<HttpResponse> => {
  const wanted = wantedOf(request.query, id);
  const timestamps = request.query.get('timestamps') === 'true';
  const read = await request.pay(1, (call) =>
    deps.commands.readTranscript(call, { ...wanted, format, timestamps }),
  );
  return fileAnswer(read, format);
};

type Read = Awaited<ReturnType<WebsiteDeps['commands']['readTranscript']>>;

const fileAnswer = (read: Read, format: TranscriptFormat): HttpResponse => {
  const ending = format === 'markdown' ? 'md' : format;
  const { videoId, language } = read.transcript;
  const name = `${videoId}${language === null ? '' : `.${language}`}.${ending}`;
  return bytes(bodyOf(read), {
    contentType: contentTypes[format],
    headers: { ...pageHeaders, 'Content-Disposition': `attachment; filename="${name}"` },
    isCacheHit: read.isCacheHit,
  });
};
