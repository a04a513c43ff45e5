import {
  channelLink,
  type Named,
  nameLink,
  playlistLink,
  type TranscriptFormat,
} from '../../../commands.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import type { Route } from '../endpoint.ts';
import { bytes } from '../middleware/response.ts';
import { bodyOf } from '../v1/transcript-json.ts';
import { contentTypes } from '../v1/transcripts.ts';
import { type PageRequest, page, pageHeaders, redirect, type WebsiteDeps } from './page.ts';
import { homePage } from './pages/home.tsx';
import { transcriptPage } from './pages/transcript.tsx';

/** Start page, links of any kind, and the transcript. */
export const visitorPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/' }, (request) => startPage(deps, request, '', null)),
  page(deps, { method: 'GET', path: '/go' }, (request) => goTo(deps, request)),
  page(deps, { method: 'GET', path: '/t/:file' }, (request) => {
    const { id, format } = fileOf(request.params['file'] ?? '');
    return format === null ? transcript(deps, request, id) : download(deps, request, id, format);
  }),
];

const startPage = async (
  deps: WebsiteDeps,
  request: PageRequest,
  pasted: string,
  wrong: string | null,
): Promise<string> => {
  const { context, user } = request;
  const usage = user === null ? null : await deps.queries.accountOverview(user.accountId);
  return homePage(context, {
    pasted,
    wrong,
    allowance: user === null ? await allowanceOf(deps, request) : null,
    remaining: usage === null || usage.plan.isUnlimited ? null : usage.credits.remaining,
    examples: deps.examples,
  });
};

/** What a visitor has used today; one without a cookie has used nothing that we could know. */
const allowanceOf = async (deps: WebsiteDeps, { pay, requestInfo }: PageRequest) => {
  const limit = deps.anonymousCreditsPerDay;
  if (!/(?:^|;\s*)visitor=/.test(requestInfo.request.headers.cookie ?? ''))
    return { used: 0, limit };
  const report = await pay(0, (call) => deps.queries.usage(call.accountId, 1));
  return { used: Math.max(0, limit - report.creditsRemaining), limit };
};

/** Sends a pasted link to the page of its kind. */
const goTo = (deps: WebsiteDeps, request: PageRequest) => {
  const pasted = (request.query.get('link') ?? '').trim();
  const named = nameLink(pasted);
  if (named === null) {
    const refused = new Refusal('INVALID_VIDEO_ID', request.context.words.home.notALink);
    return startPage(deps, request, pasted.slice(0, 2_048), refused.message);
  }
  return redirect(addressOf(named));
};

const addressOf = (named: Named): string => {
  switch (named.kind) {
    case 'video':
      return named.second === null
        ? `/t/${named.videoId}`
        : `/t/${named.videoId}#t=${named.second}`;
    case 'playlist':
      return `/many?links=${encodeURIComponent(playlistLink(named.reference))}`;
    case 'channel':
      return `/many?links=${encodeURIComponent(
        named.reference.startsWith('UC') ? channelLink(named.reference) : named.reference,
      )}`;
  }
};

const formatOf: Readonly<Record<string, TranscriptFormat>> = {
  txt: 'txt',
  srt: 'srt',
  vtt: 'vtt',
  md: 'markdown',
  json: 'json',
};

const fileOf = (file: string): { id: string; format: TranscriptFormat | null } => {
  const at = file.lastIndexOf('.');
  const format = at === -1 ? undefined : formatOf[file.slice(at + 1)];
  return format === undefined ? { id: file, format: null } : { id: file.slice(0, at), format };
};

const languageForm = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

const wantedOf = ({ query }: PageRequest, reference: string) => {
  const language = query.get('lang');
  if (language !== null && language !== '' && !languageForm.test(language)) {
    throw invalidRequest('This is not a language code.', { path: 'lang', code: 'malformed' });
  }
  return {
    reference,
    language: language === '' ? null : language,
    clean: query.get('clean') === 'true',
  };
};

const transcript = async (deps: WebsiteDeps, request: PageRequest, id: string) => {
  const { query, user } = request;
  const wanted = wantedOf(request, id);
  const isReading = query.get('view') === 'reading';
  const hasChapters = isReading && query.get('chapters') === 'true';
  const { credits: chaptersPrice } = deps.commands.quoteInsight({
    operation: 'chapters',
    reference: id,
  });
  const read = await request.pay(hasChapters ? 1 + chaptersPrice : 1, async (call) => {
    const result = await deps.commands.readTranscript(call, {
      ...wanted,
      format: 'json',
      timestamps: false,
    });
    // Listed from what is kept with the transcript: free, and no second question to the platform.
    const { available } = await deps.commands.listLanguages(call, { reference: id });
    const chapters = hasChapters
      ? await deps.commands.chapters(call, { ...wanted, outputLanguage: null })
      : null;
    return { result, available, chapters };
  });
  const { result, chapters } = read;
  return transcriptPage(request.context, {
    transcript: result.transcript,
    available: read.available,
    isClean: wanted.clean,
    hasTimes: query.getAll('timestamps')[0] !== 'false',
    isReading,
    chapters: chapters?.result.chapters ?? null,
    chaptersPrice,
    creditsCharged: result.creditsCharged + (chapters?.creditsCharged ?? 0),
    receiptUrl:
      user === null || result.eventId === null ? null : `/account/ledger/${result.eventId}`,
    readAt: deps.clock().toISOString(),
  });
};

/** A transcript as a file: for a click, and for curl. */
const download = async (
  deps: WebsiteDeps,
  request: PageRequest,
  id: string,
  format: TranscriptFormat,
) => {
  const wanted = wantedOf(request, id);
  const timestamps = request.query.get('timestamps') === 'true';
  const read = await request.pay(1, (call) =>
    deps.commands.readTranscript(call, { ...wanted, format, timestamps }),
  );
  const ending = format === 'markdown' ? 'md' : format;
  const { videoId, language } = read.transcript;
  const name = `${videoId}${language === null ? '' : `.${language}`}.${ending}`;
  return bytes(bodyOf(read), {
    contentType: contentTypes[format],
    headers: { ...pageHeaders, 'Content-Disposition': `attachment; filename="${name}"` },
    isCacheHit: read.isCacheHit ?? null,
  });
};
