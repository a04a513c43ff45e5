import type { TranscriptOffer } from '../../../../commands.ts';
import { chunkOverlap, chunkTokens } from '../../../../contract/chunks.ts';
import { aboutFormat, contentTypeOf, transcriptFormats } from '../../../../contract/formats.ts';
import { outline, outlineCall, shownOf } from '../../../../contract/operations.ts';
import { recognitionPrice, transcriptPrice, transcriptQuery } from '../../../../contract/transcripts.ts';
import type { Call } from '../../../../kernel/call.ts';
import { invalidRequest, Refusal } from '../../../../kernel/refusal.ts';
import { isOwnNavigation, isProgram } from '../../middleware/csrf.ts';
import { bytes, type HttpResponse } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { bodyOf, chunksBody, chunksType } from '../../middleware/transcript-body.ts';
import { signedOutPage } from '../failure/failure-page.tsx';
import type { PageContext } from '../layout.tsx';
import {
  captionsIn,
  html,
  type PageRequest,
  page,
  pageHeaders,
  pageInPieces,
  readAgain,
  repeatable,
  type WebsiteDeps,
} from '../page.ts';
import { noCaptionsPage } from './no-captions-page.tsx';
import { offerPage } from './offer-page.tsx';
import { type TranscriptView, transcriptPage } from './transcript-page.tsx';

/** The transcript of a video as a page and as files. A link charges its price once a day, a button what stands on it. */
export const transcriptRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/t/:file' }, (request) => look(deps, request)),
  page(deps, { method: 'POST', path: '/t/:file', isOnce: repeatable }, (request) => buy(deps, request)),
  page(deps, { method: 'GET', path: '/t/:file/chunks.ndjson' }, (request) => chunksFile(deps, request)),
];

/** Which transcript, and how: in the query of an address, or in the fields of a form. `format`: null for a page. */
const wantedOf = ({ params }: PageRequest, options: URLSearchParams) => {
  const file = params['file'] ?? '';
  const format = transcriptFormats.find((name) => file.endsWith(`.${aboutFormat(name).extension}`)) ?? null;
  const ending = format === null ? '' : `.${aboutFormat(format).extension}`;
  return {
    format,
    ...{ reference: file.slice(0, file.length - ending.length), ...captionsIn(options) },
    clean: flagIn(options, 'clean') ?? false,
    timestamps: format !== null && (flagIn(options, 'timestamps') ?? false),
  };
};

/** How a transcript is shown, as the API takes it; undefined: it is left out, or is neither true nor false. */
const flagIn = (options: URLSearchParams, name: 'clean' | 'timestamps'): boolean | undefined =>
  options.has(name) ? transcriptQuery.shape[name].safeParse(options.get(name)).data : undefined;

type TranscriptShown = Extract<Awaited<ReturnType<WebsiteDeps['commands']['showTranscript']>>, { kind: 'shown' }>;

type TranscriptQuery = ReturnType<typeof wantedOf>;
type Payment = Omit<Parameters<WebsiteDeps['commands']['showTranscript']>[1], keyof TranscriptQuery>;

const show = (deps: WebsiteDeps, call: Call, wanted: TranscriptQuery, paying: Payment) =>
  deps.commands.showTranscript(call, { ...wanted, ...paying, format: wanted.format ?? 'json' });

/** What somebody agreed to by going here. A program that asks for a file cannot click on its price. */
const agreedBy = (deps: WebsiteDeps, { requestInfo: { request } }: PageRequest, isFile: boolean): number =>
  isOwnNavigation(deps, request) || (isFile && isProgram(request)) ? transcriptPrice : 0;

/** A page or a file that somebody went to: for the price of a transcript, where it was one of our links. */
const look = async (deps: WebsiteDeps, request: PageRequest): Promise<HttpResponse> => {
  const wanted = wantedOf(request, request.query);
  const agreedCredits = agreedBy(deps, request, wanted.format !== null);
  const quotedSecond = secondIn(request.query);
  return await orOfferOfSpeech(deps, request, wanted, async () => {
    const shown = await request.pay((call) => show(deps, call, wanted, { ...readAgain, agreedCredits, quotedSecond }));
    return shown.kind === 'offer'
      ? offer(request, wanted, shown)
      : answer(deps, request, request.query, { shown, wanted, headings: null });
  });
};

/** The second of the line that a link leads to, `?t=`, which no server sees in the fragment of an address; null: to none. */
const secondIn = (query: URLSearchParams): number | null => {
  const t = query.get('t') ?? '';
  return /^\d{1,6}$/.test(t) ? Number(t) : null;
};

/** The transcript in chunks of the usual size, as a file: for the price of a transcript that the reader has not paid for yet. */
const chunksFile = async (deps: WebsiteDeps, request: PageRequest): Promise<HttpResponse> => {
  const wanted = wantedOf(request, request.query);
  const agreedCredits = agreedBy(deps, request, true);
  const paying = { ...readAgain, agreedCredits, format: 'json' } as const;
  const sizes = { maxTokens: chunkTokens.default, overlap: chunkOverlap.default, by: 'sentences' } as const;
  const shown = await request.pay((call) => deps.commands.showChunks(call, { ...wanted, ...paying }, sizes));
  if (shown.kind === 'offer') return offer(request, wanted, shown);
  const body = shown.more === null ? '' : chunksBody(shown.more, 'ndjson');
  return fileOf(shown, { body, contentType: chunksType.ndjson, ending: 'chunks.ndjson' });
};

type Bought = Pick<TranscriptView, 'headings'> & { readonly contentSha256: string };

/**
 * A transcript for a click on its price: of captions, of speech, or with headings, which are charged with it or not at
 * all. Sent again, the form shows the same content and the same headings, free of charge.
 */
const buy = async (deps: WebsiteDeps, request: PageRequest): Promise<HttpResponse> => {
  const { form, user, context } = request;
  if ((form.get('once') ?? '') === '') {
    throw invalidRequest('The form is incomplete.', { path: 'once', code: 'required' });
  }
  const wanted = wantedOf(request, form);
  const recognizesSpeech = (wanted.asr ?? 'off') !== 'off';
  if (recognizesSpeech && user === null) return html(signedOutPage(context, form), 401);
  const paying: Payment = {
    ...{ recognizesSpeech, paidSha256: null, quotedSecond: null },
    agreedCredits: recognizesSpeech ? recognitionPrice : transcriptPrice,
    isConfirmed: recognizesSpeech || form.get('confirmed') === 'true',
    further: form.get(outline.name) === 'true' ? outlineCall : null,
  };
  return await orOfferOfSpeech(deps, request, wanted, async () => {
    let first: TranscriptShown | TranscriptOffer | null = null;
    const bought = await request.payOnce(async (call): Promise<Bought | null> => {
      first = await show(deps, call, wanted, paying);
      if (first.kind === 'offer') return null;
      const { contentSha256, more } = first;
      return { contentSha256, headings: more === null ? null : (shownOf(more).places ?? []) };
    });
    const paidSha256 = bought?.contentSha256 ?? null;
    const shown: TranscriptShown | TranscriptOffer =
      first ?? (await request.pay((call) => show(deps, call, wanted, { ...readAgain, paidSha256 })));
    return shown.kind === 'offer'
      ? offer(request, wanted, shown)
      : answer(deps, request, form, { shown, wanted, headings: bought?.headings ?? null });
  });
};

type TranscriptAnswer = Pick<Bought, 'headings'> & {
  readonly shown: TranscriptShown;
  readonly wanted: TranscriptQuery;
};

const answer = async (
  deps: WebsiteDeps,
  { context, user, requestInfo }: PageRequest,
  options: URLSearchParams,
  { shown, wanted, headings }: TranscriptAnswer,
): Promise<HttpResponse> => {
  const { format, captions = 'any', asr, words = false } = wanted;
  if (format !== null) {
    const { extension: ending } = aboutFormat(format);
    return fileOf(shown, { body: bodyOf(shown), contentType: contentTypeOf(format), ending });
  }
  const { transcript, available, paidLanguages, creditsCharged, eventId } = shown;
  const chapters = shown.chapters?.map(({ startS: start, title }) => ({ start, title })) ?? null;
  const { credits: headingsPrice } = await deps.commands.quoteInsight({
    operation: outline.name,
    reference: transcript.videoId,
  });
  const view = transcriptPage(context, {
    isClean: wanted.clean,
    // Browsers send no box that is not ticked: `boxes` says that there were some.
    hasTimes: flagIn(options, 'timestamps') ?? !options.has('boxes'),
    isReading: options.get('view') === 'reading',
    chosen: {
      ...(captions === 'any' ? {} : { captions }),
      ...(asr === 'force' ? { asr } : {}),
      ...(words ? { words: 'true' } : {}),
    },
    ...{ transcript, available, paidLanguages, creditsCharged, chapters, headingsPrice },
    headings: headings ?? chapters,
    receiptUrl: user === null || eventId === null ? null : `/account/ledger/${eventId}`,
    readAt: deps.clock().toISOString(),
    quotedSecond: secondIn(options),
  });
  return pageInPieces(requestInfo.request, view);
};

/** The price of a transcript with a button. */
const offer = ({ context, query, form }: PageRequest, wanted: TranscriptQuery, found: TranscriptOffer) => {
  if (found.credits > transcriptPrice) return speechOffer(context, wanted, found.videoId, found.credits);
  const options = new URLSearchParams([...query, ...form]);
  return html(offerPage(context, { ...found, format: wanted.format, options }));
};

/** Where a video has no captions, its speech is offered, if it can be recognized. */
const orOfferOfSpeech = async (
  { queries }: WebsiteDeps,
  { context }: PageRequest,
  wanted: TranscriptQuery,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> => {
  try {
    return await work();
  } catch (error) {
    if (!isWithoutCaptions(error) || !queries.aiStatus().recognizesSpeech) throw error;
    return speechOffer(context, wanted, wanted.reference, recognitionPrice);
  }
};

const speechOffer = (context: PageContext, { asr }: TranscriptQuery, videoId: string, price: number): HttpResponse =>
  html(noCaptionsPage(context, { videoId, price, asr: asr === 'force' ? asr : 'auto' }), 404);

const isWithoutCaptions = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'TRANSCRIPT_NOT_AVAILABLE' && offered.has(error.details?.['reason']);

/** `recognition_unavailable`: where speech can be recognized, it is only not recognized yet. */
const offered: ReadonlySet<unknown> = new Set(['no_captions', 'recognition_unavailable']);

type FileContent = { readonly body: Buffer | string; readonly contentType: string; readonly ending: string };

const fileOf = (
  { transcript: { videoId, language }, isCacheHit }: Pick<TranscriptShown, 'transcript' | 'isCacheHit'>,
  { body, contentType, ending }: FileContent,
): HttpResponse => {
  const name = `${videoId}${language === null ? '' : `.${language}`}.${ending}`;
  const headers = { ...pageHeaders, 'Content-Disposition': `attachment; filename="${name}"` };
  return bytes(body, { contentType, headers, isCacheHit });
};
