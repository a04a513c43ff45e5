import { type Transcript, timestampOf } from '../../../../commands.ts';
import { documentOf, type PageContext } from '../layout.tsx';
import { fill, languageName, plural } from '../messages/language.ts';
import { bibtexOf, citationOf } from '../parts/citation.ts';
import { paragraphsOf } from '../parts/paragraphs.ts';
import { OperationTabs } from '../parts/tabs.tsx';

export type TranscriptView = {
  readonly transcript: Transcript;
  /** Languages that there are captions in. */
  readonly available: readonly string[];
  readonly isClean: boolean;
  readonly hasTimes: boolean;
  readonly isReading: boolean;
  /** Headings of the reading view; null where they were not asked for. */
  readonly chapters: readonly { readonly start: number; readonly title: string }[] | null;
  /** Credits for these headings. */
  readonly chaptersPrice: number;
  readonly creditsCharged: number;
  /** Where the paid answer of this page is recorded; null for a visitor. */
  readonly receiptUrl: string | null;
  /** RFC 3339, for the citation. */
  readonly readAt: string;
};

const formats = ['txt', 'srt', 'vtt', 'md', 'json'] as const;

/** One transcript at its times, with everything that can be done to it. */
export const transcriptPage = (context: PageContext, view: TranscriptView): string => {
  const { transcript } = view;
  const title = transcript.title ?? transcript.videoId;
  return documentOf(context, {
    title,
    description: `${context.words.site.claim} ${title}`,
    children: (
      <>
        <Heading context={context} view={view} />
        <Tools context={context} view={view} />
        <div class="with-side">
          <div class="section">
            {view.isReading ? (
              <Reading context={context} view={view} />
            ) : (
              <Lines context={context} view={view} />
            )}
          </div>
          <Side context={context} view={view} />
        </div>
      </>
    ),
  });
};

type Part = { readonly context: PageContext; readonly view: TranscriptView };

const Heading = ({ context, view }: Part) => {
  const { transcript } = view;
  const { words } = context;
  const t = words.transcript;
  const { language, channel, channelId, durationS } = transcript;
  return (
    <div class="section">
      <div class="row">
        <span class="at">{durationS === null ? '' : timestampOf(durationS * 1000)}</span>
        <div>
          <h1 dir="auto" {...(language === null ? {} : { lang: language })}>
            {transcript.title ?? transcript.videoId}
          </h1>
          <ul class="facts">
            {channel === null ? null : (
              <li dir="auto">
                {channelId === null ? (
                  channel
                ) : (
                  <a href={`/go?link=${encodeURIComponent(channelId)}`}>{channel}</a>
                )}
              </li>
            )}
            <li>
              <span class="badge">{t.source[transcript.source]}</span>
            </li>
            {language === null ? null : <li>{languageName(words.language, language)}</li>}
            <li class="number">{plural(words.language, t.lines, transcript.cues.length)}</li>
            <li>
              <a href={transcript.url} rel="noreferrer">
                {t.open}
              </a>
            </li>
          </ul>
        </div>
      </div>
    </div>
  );
};

/** Address of this page with some of its options changed; what is at its default is left out. */
const addressOf = (
  { transcript, isClean, hasTimes, isReading }: TranscriptView,
  change: {
    readonly clean?: boolean;
    readonly reading?: boolean;
    readonly chapters?: boolean;
    readonly ending?: string;
  },
): string => {
  const query = new URLSearchParams();
  if (transcript.language !== null) query.set('lang', transcript.language);
  if (change.clean ?? isClean) query.set('clean', 'true');
  if (change.ending === undefined) {
    if (!hasTimes) query.set('timestamps', 'false');
    if (change.reading ?? isReading) query.set('view', 'reading');
    if (change.chapters === true) query.set('chapters', 'true');
  } else if (change.ending === 'txt' && hasTimes) query.set('timestamps', 'true');
  const ending = change.ending === undefined ? '' : `.${change.ending}`;
  const asked = query.toString();
  return `/t/${transcript.videoId}${ending}${asked === '' ? '' : `?${asked}`}`;
};

const Tools = ({ context, view }: Part) => {
  const t = context.words.transcript;
  return (
    <div class="tools">
      <div class="row">
        <span />
        <div class="bar">
          <FindForm context={context} view={view} />
          <form method="get" action={`/t/${view.transcript.videoId}`} class="bar">
            <LanguageMenu context={context} view={view} />
            <x-times>
              <label class="check">
                <input
                  type="checkbox"
                  name="timestamps"
                  value="true"
                  checked={view.hasTimes}
                  data-times
                />
                {t.times}
              </label>
            </x-times>
            <input type="hidden" name="timestamps" value="false" />
            <label class="check">
              <input type="checkbox" name="clean" value="true" checked={view.isClean} />
              <span title={t.clean}>{t.cleanShort}</span>
            </label>
            {view.isReading ? <input type="hidden" name="view" value="reading" /> : null}
            <button type="submit" class="quiet">
              {t.apply}
            </button>
          </form>
          <x-copy data-what="transcript" data-done={t.copied} hidden>
            <button type="button">{t.copyAll}</button>
          </x-copy>
        </div>
      </div>
    </div>
  );
};

/** Finds exact words at once in the page; its button asks for the meaning, which the search operation answers. */
const FindForm = ({ context, view }: Part) => {
  const t = context.words.transcript;
  const { videoId, language } = view.transcript;
  return (
    <x-search data-hits={t.hits} data-none={t.noHits}>
      <search aria-label={t.search}>
        <form class="bar" method="get" action={`/t/${videoId}/search`}>
          <input
            type="search"
            name="query"
            placeholder={t.searchShort}
            aria-label={t.search}
            maxlength={500}
          />
          {language === null ? null : <input type="hidden" name="lang" value={language} />}
          <output class="small number" />
          <button type="submit" class="quiet">
            {t.meaning}
          </button>
        </form>
      </search>
    </x-search>
  );
};

const LanguageMenu = ({ context, view }: Part) => {
  const { language: ui, transcript: t } = context.words;
  const { transcript, available } = view;
  return (
    <select name="lang" aria-label={t.languages}>
      {available.map((code) => (
        <option value={code} selected={code === transcript.language}>
          {languageName(ui, code)} ({code})
        </option>
      ))}
    </select>
  );
};

const Lines = ({ context, view }: Part) => {
  const { transcript, hasTimes } = view;
  const t = context.words.transcript;
  if (transcript.cues.length === 0) {
    return (
      <div class="row">
        <span />
        <p>{t.empty}</p>
      </div>
    );
  }
  let last = -1;
  return (
    <ol
      class={hasTimes ? 'cues' : 'cues no-times'}
      id="transcript"
      dir="auto"
      {...(transcript.language === null ? {} : { lang: transcript.language })}
      data-url={`${context.publicUrl}/t/${transcript.videoId}`}
      data-copy={t.copyLine}
      data-copied={t.copied}
    >
      {transcript.cues.map(({ text, startMs }) => {
        const second = Math.floor(startMs / 1000);
        const isFirst = second !== last;
        last = second;
        return (
          <li class="row" {...(isFirst ? { id: `t=${second}` } : {})}>
            <a class="at" href={`#t=${second}`}>
              {timestampOf(startMs)}
            </a>
            <p>{text}</p>
          </li>
        );
      })}
    </ol>
  );
};

const Reading = ({ context, view }: Part) => {
  const { transcript, chapters } = view;
  const { tabs, language: ui } = context.words;
  const left = [...(chapters ?? [])];
  /** Headings that come before a paragraph ends, so that each stands above its text. */
  const headingsBefore = (endMs: number) => {
    const at = left.findIndex(({ start }) => start * 1_000 >= endMs);
    return left.splice(0, at === -1 ? left.length : at);
  };
  const paragraphs = paragraphsOf(
    transcript.cues,
    chapters?.map(({ start }) => start * 1_000) ?? [],
  );
  return (
    <div
      class="paragraphs"
      id="transcript"
      dir="auto"
      {...(transcript.language === null ? {} : { lang: transcript.language })}
    >
      {chapters !== null ? null : (
        <div class="row">
          <span class="row-start" />
          <p>
            <a href={addressOf(view, { chapters: true })}>
              {fill(tabs.run, {
                action: context.words.transcript.headings,
                price: plural(ui, tabs.credits, view.chaptersPrice),
              })}
            </a>
          </p>
        </div>
      )}
      {paragraphs.map(({ startMs, text }) => (
        <>
          {headingsBefore(startMs + 1).map(({ title }) => (
            <div class="row">
              <span class="row-start" />
              <h2>{title}</h2>
            </div>
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

const Side = ({ context, view }: Part) => {
  const { words } = context;
  const t = words.transcript;
  const { transcript } = view;
  return (
    <aside class="side section" aria-label={words.tabs.label}>
      <x-player data-video={transcript.videoId} data-title={transcript.title ?? ''} hidden>
        <div class="player">
          <button type="button" title={t.playerHint}>
            {t.player}
          </button>
        </div>
      </x-player>
      <OperationTabs
        context={context}
        videoId={transcript.videoId}
        language={transcript.language}
        current={null}
      />
      <div id="panel" aria-live="polite" />
      <h2>{t.download}</h2>
      <ul class="inline-list">
        {formats.map((format) => (
          <li>
            <a href={addressOf(view, { ending: format })} download>
              {format.toUpperCase()}
            </a>
          </li>
        ))}
      </ul>
      <p>
        {view.isReading ? (
          <a href={addressOf(view, { reading: false })}>{t.linesView}</a>
        ) : (
          <a href={addressOf(view, { reading: true })}>{t.readingView}</a>
        )}
      </p>
      <details>
        <summary>{t.cite}</summary>
        <p class="small">{citationOf(transcript, view.readAt)}</p>
        <pre tabindex={0}>
          <code>{bibtexOf(transcript, view.readAt)}</code>
        </pre>
      </details>
      <x-keys>
        <details>
          <summary>{t.keyboard}</summary>
          <dl class="pairs small">
            {(['/', 't', 'c', 'j', 'k'] as const).map((key) => (
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
          {fill(words.tabs.charged, {
            credits: plural(words.language, words.tabs.credits, view.creditsCharged),
          })}{' '}
          <a href={view.receiptUrl}>{words.tabs.receipt}</a>
        </p>
      )}
    </aside>
  );
};
