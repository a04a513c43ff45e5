import { renderToString } from 'preact-render-to-string';
import { lineAt, type QuotedLine, type Transcript, timestampOf } from '../../../../commands.ts';
import { aboutFormat, type Format, formatsWithWords, transcriptFormats } from '../../../../contract/formats.ts';
import type { Place } from '../../../../contract/operation.ts';
import { finder, outline } from '../../../../contract/operations.ts';
import { captionsKind } from '../../../../contract/transcripts.ts';
import { memoizeByObject } from '../../../../kernel/memoize.ts';
import { Document, documentOf, type PageContext, Row, usePage } from '../layout.tsx';
import { Check, Hidden, PostButton } from '../parts/form.tsx';
import { Code } from '../parts/markdown.tsx';
import { priceOfLook, withPrice } from '../parts/price.ts';
import { addressWith } from '../parts/sorting.ts';
import { OperationTabs, operationLabel } from '../parts/tabs.tsx';
import { directionOf, fill, languageName, plural } from '../words.ts';
import { paragraphsOf } from './paragraphs.ts';

export type TranscriptView = {
  readonly transcript: Transcript;
  /** Languages that there are captions in. */
  readonly available: readonly string[];
  /** What was asked for besides the language, as the query of an address has it. */
  readonly chosen: Readonly<Record<string, string>>;
  readonly isClean: boolean;
  readonly hasTimes: boolean;
  readonly isReading: boolean;
  /** Headings of the reading view; null where they were not asked for. */
  readonly headings: readonly Pick<Place, 'start' | 'title'>[] | null;
  /** Those that the author of the video wrote; null: none. */
  readonly chapters: TranscriptView['headings'];
  /** Credits for these headings. */
  readonly headingsPrice: number;
  readonly creditsCharged: number;
  /** Languages that can be read again free of charge. */
  readonly paidLanguages: readonly string[];
  /** Where the charge of this page is recorded; null for a visitor, and where nothing was charged. */
  readonly receiptUrl: string | null;
  /** The link leads to the line of this second; null: to none. */
  readonly quotedSecond: number | null;
  /** RFC 3339, for the citation. */
  readonly readAt: string;
};

/** What is made of captions is not made of recognized speech. */
const isOfSpeech = ({ transcript }: TranscriptView): boolean => transcript.source === 'asr';

const files = transcriptFormats.map((name) => aboutFormat(name));

/** One transcript at its times, with everything that can be done to it, in pieces as they are sent. */
export const transcriptPage = (context: PageContext, view: TranscriptView): readonly (string | Buffer)[] => {
  const { cues } = view.transcript;
  // The account has its receipt on the page, and the reading view a form with a token: both are rendered each time.
  if (context.user !== null || view.isReading) return withLines(documentAround(context, view), view.transcript);
  const key = keyOf(context, view);
  const kept = around.get(cues);
  const page = kept?.key === key ? kept.page : documentAround(context, view);
  around.set(cues, { key, page });
  return withLines(page, view.transcript);
};

/** What stands around lines, as the last visitor saw it: it takes as long to render as the rest of an answer. */
const around = new WeakMap<Transcript['cues'], { readonly key: string; readonly page: string }>();

/**
 * Everything that the page of a visitor is made of, besides its lines and what is the same in all pages of a process; of the
 * time of reading the day alone is shown.
 */
const keyOf = (
  { words, url, publicUrl }: PageContext,
  { transcript: { cues, ...about }, readAt, ...view }: TranscriptView,
): string => JSON.stringify([words.language, url, publicUrl, about, readAt.slice(0, 10), view]);

const documentAround = documentOf((view: TranscriptView) => {
  const { transcript } = view;
  const title = transcript.title ?? transcript.videoId;
  const { quotedSecond: second } = view;
  const quoted = second === null ? null : lineAt(transcript.cues, second);
  return (
    <Document
      {...(quoted === null ? { title } : quotation(title, quoted, transcript.language))}
      {...(transcript.cues.length === 0 || quoted !== null ? {} : { description: beginningOf(transcript.cues) })}
      language={transcript.language}
    >
      <Heading transcript={transcript} />
      <Tools view={view} />
      <div class="with-side">
        <div class="section" dir={directionOf(transcript.language)}>
          {view.isReading ? <Reading view={view} /> : <Lines transcript={transcript} hasTimes={view.hasTimes} />}
        </div>
        <Side view={view} />
      </div>
    </Document>
  );
});

/** How other sites show a link to a line: the video with the time, and what is said; null: in the usual language. */
export const quotation = (title: string, { second, text }: QuotedLine, language: string | null) => ({
  query: `?${lineQuery(language, String(second))}`,
  title: `${title} · ${timestampOf(second * 1_000)}`,
  description: text,
});

/** The query of a link to the line of a second. */
const lineQuery = (language: string | null, second: string): string =>
  new URLSearchParams([...(language === null ? [] : [['lang', language]]), ['t', second]]).toString();

/** A page of which `Lines` are a part, in pieces, with its lines. */
export const withLines = (page: string, { cues }: Pick<Transcript, 'cues'>): readonly (string | Buffer)[] => {
  const [before = '', after] = page.split(linesMark);
  return after === undefined ? [before] : [before, linesOf(cues), after];
};

/** Where the lines come in; text cannot contain it, because Preact escapes `<`. */
const linesMark = '<!--lines-->';

const describedBy = 200;

/** The first words, as other sites show them beside a link. */
const beginningOf = (cues: Transcript['cues']): string => {
  let text = '';
  for (const cue of cues) {
    text += `${text === '' ? '' : ' '}${cue.text.replace(/\s+/g, ' ').trim()}`;
    if (text.length > 2 * describedBy) break;
  }
  // By code points, so that no character is cut in two.
  const letters = [...text];
  return letters.length > describedBy ? `${letters.slice(0, describedBy).join('')}…` : text;
};

type Part = { readonly view: TranscriptView };

export const Heading = ({ transcript }: Pick<TranscriptView, 'transcript'>) => {
  const { words } = usePage();
  const t = words.transcript;
  const { language, channel, channelId, durationS, leftOut } = transcript;
  return (
    <div class="section video">
      <Row
        at={
          <>
            {durationS === null ? '' : timestampOf(durationS * 1000)}{' '}
            <button class="to-side play" type="button" title={t.playerHint} aria-label={t.player} hidden>
              ▶
            </button>
          </>
        }
      >
        <h1 dir="auto" lang={language ?? undefined}>
          {transcript.title ?? transcript.videoId}
        </h1>
        <ul class="facts">
          {channel === null ? null : (
            <li dir="auto">
              {channelId === null ? channel : <a href={`/go?link=${encodeURIComponent(channelId)}`}>{channel}</a>}
            </li>
          )}
          <li>
            <span class="badge">{t.source[transcript.source]}</span>
          </li>
          {language === null ? null : <li>{languageName(words.language, language)}</li>}
          <li class="number">{plural(words.language, t.lines, transcript.cues.length)}</li>
          {leftOut === undefined ? null : <li class="number">{plural(words.language, t.leftOut, leftOut)}</li>}
          <li>
            <a href={transcript.url} rel="noreferrer">
              {t.open}
            </a>
          </li>
        </ul>
      </Row>
    </div>
  );
};

/** Which captions are asked for, as the query of this page and of its files has it; what is at its default is left out. */
const captionsOf = ({ transcript: { language }, chosen }: TranscriptView): TranscriptView['chosen'] => ({
  ...(language === null ? {} : { lang: language }),
  ...chosen,
});

const cleanOption = ({ isClean }: TranscriptView) => (isClean ? { clean: 'true' } : {});

/** The captions and how this page shows them. */
const optionsOf = (view: TranscriptView): TranscriptView['chosen'] => ({
  ...captionsOf(view),
  ...cleanOption(view),
  ...(view.hasTimes ? {} : { timestamps: 'false' }),
  ...(view.isReading ? { view: 'reading' } : {}),
});

/** Address of a file of the same captions, with times where it takes them and the page shows them. */
const fileAddress = (view: TranscriptView, { extension, hasTimesAsShown }: Format): string =>
  addressWith(`/t/${view.transcript.videoId}.${extension}`, {
    ...captionsOf(view),
    ...cleanOption(view),
    ...(hasTimesAsShown === true && view.hasTimes ? { timestamps: 'true' } : {}),
  });

/** How the text is shown, and what is done with it: only the second is kept in sight on a narrow screen. */
const Tools = ({ view }: Part) => {
  const t = usePage().words.transcript;
  return (
    <div class="tools">
      <form method="get" action={`/t/${view.transcript.videoId}`} class="options">
        <LanguageMenu view={view} />
        <Hidden fields={Object.entries(view.chosen)} />
        <x-times>
          <Check name="timestamps" value="true" isChecked={view.hasTimes}>
            {t.times}
          </Check>
        </x-times>
        <input type="hidden" name="boxes" value="true" />
        <Check name="clean" value="true" isChecked={view.isClean}>
          <span title={t.clean}>{t.cleanShort}</span>
        </Check>
        {view.isReading ? <input type="hidden" name="view" value="reading" /> : null}
        <button type="submit" class="quiet">
          {t.apply}
        </button>
      </form>
      <div class="find">
        <FindForm view={view} />
        <x-copy data-what="transcript" data-done={t.copied} hidden>
          <button type="button">{t.copyAll}</button>
        </x-copy>
        <a class="to-side button quiet" href="#side" title={t.download} aria-label={t.download}>
          ↓
        </a>
      </div>
    </div>
  );
};

/** Finds exact words at once in the page; its button asks for the meaning, which the search operation answers. */
const FindForm = ({ view }: Part) => {
  const context = usePage();
  const t = context.words.transcript;
  const { videoId, language } = view.transcript;
  return (
    <x-search data-hits={t.hits} data-none={t.noHits}>
      <search aria-label={t.search}>
        <form method="get" action={`/t/${videoId}/${finder.page}`}>
          <input
            type="search"
            name="query"
            placeholder={operationLabel(context.words, finder)}
            aria-label={t.search}
            maxlength={finder.input.query.maxLength ?? 0}
          />
          {language === null ? null : <input type="hidden" name="lang" value={language} />}
          <output class="small number" />
          {isOfSpeech(view) ? null : (
            <button type="submit" class="quiet">
              {t.meaning}
            </button>
          )}
        </form>
      </search>
    </x-search>
  );
};

/** Which captions: those that people wrote, that the platform made, or either; and whether files have the times of words. */
const CaptionsForm = ({ view }: Part) => {
  const t = usePage().words.transcript;
  const { captions = 'any', words, ...kept } = optionsOf(view);
  const texts = { any: t.anyCaptions, manual: t.source.manual, automatic: t.source.platform_auto };
  return (
    <form method="get" action={`/t/${view.transcript.videoId}`} class="options">
      <Hidden fields={Object.entries(kept)} />
      <select name="captions" aria-label={t.captions}>
        {captionsKind.options.map((kind) => (
          <option value={kind} selected={kind === captions}>
            {texts[kind]}
          </option>
        ))}
      </select>
      <Check name="words" value="true" isChecked={words !== undefined}>
        {t.words} ({formatsWithWords.map((format) => format.toUpperCase()).join(', ')})
      </Check>
      <button type="submit" class="quiet">
        {t.apply}
      </button>
    </form>
  );
};

/** The languages that there are, by what reading in them costs. */
const LanguageMenu = ({ view }: Part) => {
  const { words } = usePage();
  const { language: ui, transcript: t } = words;
  const { transcript, available, paidLanguages } = view;
  return (
    <select name="lang" aria-label={t.languages}>
      {[true, false].map((isPaid) => {
        const codes = available.filter((code) => paidLanguages.includes(code) === isPaid);
        return codes.length === 0 ? null : (
          <optgroup label={priceOfLook(words, isPaid)}>
            {codes.map((code) => (
              <option value={code} selected={code === transcript.language}>
                {languageName(ui, code)} ({code})
              </option>
            ))}
          </optgroup>
        );
      })}
    </select>
  );
};

export const Lines = ({ transcript, hasTimes }: Pick<TranscriptView, 'transcript' | 'hasTimes'>) => {
  const context = usePage();
  const t = context.words.transcript;
  if (transcript.cues.length === 0) {
    return (
      <Row>
        <p>{context.words.refusals.reasons.empty_track}</p>
      </Row>
    );
  }
  return (
    <div
      class={hasTimes ? 'cues' : 'cues no-times'}
      id="transcript"
      lang={transcript.language ?? undefined}
      data-url={`${context.publicUrl}/t/${transcript.videoId}?${lineQuery(transcript.language, '')}`}
      data-copy={t.copyLine}
      data-copied={t.copied}
      dangerouslySetInnerHTML={{ __html: linesMark }}
    />
  );
};

/** So many lines are one list: browsers lay out the lists that are seen (`content-visibility`). */
const linesInList = 50;

/** HTML that Preact made of lines, for as long as the engine keeps them: they are rendered for the first view alone. */
const linesOf = memoizeByObject((cues: Transcript['cues']) => {
  const lists: string[] = [];
  let last = -1;
  for (let from = 0; from < cues.length; from += linesInList) {
    const list = (
      <ol>
        {cues.slice(from, from + linesInList).map(({ text, startMs }) => {
          const second = Math.floor(startMs / 1000);
          const isFirst = second !== last;
          last = second;
          return (
            <li id={isFirst ? `t=${second}` : undefined}>
              <a href={`#t=${second}`}>{timestampOf(startMs)}</a>
              <p>{text}</p>
            </li>
          );
        })}
      </ol>
    );
    lists.push(renderToString(list));
  }
  return Buffer.from(lists.join(''));
});

const Reading = ({ view }: Part) => {
  const { words } = usePage();
  const { transcript, headings } = view;
  const left = [...(headings ?? [])];
  /** Headings that come before a paragraph ends, so that each stands above its text. */
  const headingsBefore = (endMs: number) => {
    const at = left.findIndex(({ start }) => start * 1_000 >= endMs);
    return left.splice(0, at === -1 ? left.length : at);
  };
  const paragraphs = paragraphsOf(transcript.cues, headings?.map(({ start }) => start * 1_000) ?? []);
  return (
    <div class="paragraphs" id="transcript" lang={transcript.language ?? undefined}>
      {headings !== null || isOfSpeech(view) ? null : (
        <Row>
          <PostButton action={`/t/${transcript.videoId}`} fields={headingFields(view)}>
            {withPrice(words, words.transcript.headings, view.headingsPrice)}
          </PostButton>
        </Row>
      )}
      {paragraphs.map(({ startMs, text }) => (
        <>
          {headingsBefore(startMs + 1).map(({ title }) => (
            <Row>
              <h2>{title}</h2>
            </Row>
          ))}
          <div class="row" id={`t=${Math.floor(startMs / 1000)}`}>
            <a class="at" href={`#t=${Math.floor(startMs / 1000)}`}>
              {timestampOf(startMs)}
            </a>
            <p>{text}</p>
          </div>
        </>
      ))}
    </div>
  );
};

const headingFields = (view: TranscriptView) => ({
  ...captionsOf(view),
  ...{ clean: String(view.isClean), timestamps: String(view.hasTimes), view: 'reading', [outline.name]: 'true' },
});

/** The player of the platform, which is loaded on a click only. */
export const Player = ({ transcript }: Pick<TranscriptView, 'transcript'>) => {
  const t = usePage().words.transcript;
  return (
    <x-player data-video={transcript.videoId} data-title={transcript.title ?? ''} hidden>
      <div class="player">
        <button type="button" title={t.playerHint}>
          {t.player}
        </button>
        <button type="button" class="close" hidden>
          {t.playerClose}
        </button>
      </div>
    </x-player>
  );
};

const Side = ({ view }: Part) => {
  const { words } = usePage();
  const t = words.transcript;
  const { transcript } = view;
  return (
    <aside class="side section" id="side" aria-label={words.tabs.label}>
      <Player transcript={transcript} />
      <Chapters view={view} />
      {isOfSpeech(view) ? null : (
        <>
          <OperationTabs videoId={transcript.videoId} language={transcript.language} current={null} />
          <div id="panel" aria-live="polite" />
        </>
      )}
      <h2>{t.download}</h2>
      <CaptionLinks view={view} />
      <CaptionsForm view={view} />
      <details>
        <summary>{t.cite}</summary>
        <p class="small">{citationOf(transcript, view.readAt)}</p>
        <Code text={bibtexOf(transcript, view.readAt)} />
      </details>
      <x-keys>
        <details>
          <summary>{t.keyboard}</summary>
          <dl class="pairs small">
            {(['/', 't', 'c', 'j', 'k', '␣', '← →', '↑ ↓', '?'] as const).map((key) => (
              <>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{t.keys[key]}</dd>
              </>
            ))}
          </dl>
          <label class="check small">
            <input type="checkbox" checked />
            {t.keysOn}
          </label>
        </details>
      </x-keys>
      {view.receiptUrl === null ? null : (
        <p class="small">
          {fill(words.tabs.charged, { credits: plural(words.language, words.tabs.credits, view.creditsCharged) })}{' '}
          <a href={view.receiptUrl}>{words.tabs.receipt}</a>
        </p>
      )}
    </aside>
  );
};

/** The address of the line that is spoken at a time, in seconds. */
export const lineLink = (cues: Transcript['cues'], seconds: number): string =>
  `#t=${lineAt(cues, Math.floor(seconds))?.second ?? 0}`;

/** The chapters of the author, each with a link to the line that is spoken when it begins. */
const Chapters = ({ view }: Part) => {
  const { words } = usePage();
  const { cues } = view.transcript;
  if (view.chapters === null || cues.length === 0) return null;
  return (
    <>
      <h2>{operationLabel(words, outline)}</h2>
      <ol class="places" id="chapters">
        {view.chapters.map(({ start, title }) => (
          <li>
            <a class="time" href={lineLink(cues, start)}>
              {timestampOf(start * 1_000)}
            </a>{' '}
            <span dir="auto">{title}</span>
          </li>
        ))}
      </ol>
    </>
  );
};

const CaptionLinks = ({ view }: Part) => {
  const { words } = usePage();
  const t = words.transcript;
  const { videoId } = view.transcript;
  const price = <span class="small quiet-text">{priceOfLook(words, true)}</span>;
  const otherView = optionsOf({ ...view, isReading: !view.isReading });
  return (
    <>
      <ul class="inline-list">
        {files.map((file) => (
          <li>
            <a href={fileAddress(view, file)} download>
              {file.extension.toUpperCase()}
            </a>
          </li>
        ))}
        <li>{price}</li>
      </ul>
      <p>
        <a href={addressWith(`/t/${videoId}/chunks.ndjson`, captionsOf(view))} download>
          {t.chunks} (NDJSON)
        </a>{' '}
        {price}
      </p>
      <p>
        <a href={addressWith(`/t/${videoId}`, otherView)}>{view.isReading ? t.linesView : t.readingView}</a> {price}
      </p>
    </>
  );
};

/** APA, 7th edition, of a video whose date is not known. */
const citationOf = ({ title, channel, videoId, url }: Transcript, readAt: string): string =>
  `${channel ?? 'Unknown'}. (n.d.). ${title ?? videoId} [Video]. YouTube. Retrieved ${readAt.slice(0, 10)}, from ${url}`;

/** BibTeX; braces and backslashes of names are left out, they would end the field. */
const bibtexOf = ({ title, channel, videoId, url }: Transcript, readAt: string): string =>
  [
    `@misc{${videoId},`,
    `  title = {{${plain(title ?? videoId)}}},`,
    `  author = {{${plain(channel ?? 'Unknown')}}},`,
    `  howpublished = {\\url{${url}}},`,
    `  note = {Video, captions read ${readAt.slice(0, 10)}}`,
    '}',
  ].join('\n');

const plain = (text: string): string => text.replace(/[{}\\]/g, '');
