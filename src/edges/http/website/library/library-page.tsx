import type { Commands } from '../../../../commands.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { Field, PostButton, Submit } from '../parts/form.tsx';
import { Time } from '../parts/times.tsx';

type KeptVideos = Awaited<ReturnType<Commands['listLibrary']>>;
type Passages = Awaited<ReturnType<Commands['browseLibrary']>>;

type LibraryView = {
  readonly videos: KeptVideos;
  /** Null: nothing is searched for. */
  readonly found: Passages | null;
  readonly keepByDefault: boolean;
  /** What was filled in: fields are named as in the API; `from` and `to` are days. */
  readonly filled: Readonly<Record<'q' | 'lang' | 'channel' | 'from' | 'to', string>>;
};

/** The kept videos of an account, and the passages that a search over them found. */
export const libraryPage = (context: PageContext, view: LibraryView): string => {
  const { account, library: words } = context.words;
  const { videos, keepByDefault } = view;
  return accountPage(context, {
    title: account.library,
    current: 'library',
    children: (
      <>
        <Row>
          <p>{words.about}</p>
          <p>{keepByDefault ? words.keeping : words.notKeeping}</p>
          <PostButton action="/account/library/default" fields={{ keep: String(!keepByDefault) }}>
            {keepByDefault ? words.keepLess : words.keepAll}
          </PostButton>
        </Row>
        <Search {...view} />
        {videos.map((video) => (
          <Video {...video} />
        ))}
        {videos.length === 0 ? null : (
          <Row>
            <div class="actions">
              <a class="button quiet" href="/account/library/export" download>
                {words.export}
              </a>
              <PostButton action="/account/library/clear">{words.clear}</PostButton>
            </div>
          </Row>
        )}
      </>
    ),
  });
};

const Search = ({ found, filled }: LibraryView) => {
  const { library: words } = usePage().words;
  return (
    <Row>
      <x-library>
        <form method="get" action="/account/library">
          <Field id="q" label={words.search} type="search" value={filled.q} maxlength={500} autocomplete="off" />
          <Field id="lang" label={words.language} value={filled.lang} maxlength={35} />
          <Field id="channel" label={words.channel} value={filled.channel} maxlength={128} />
          <Field id="from" label={words.from} type="date" value={filled.from} />
          <Field id="to" label={words.until} type="date" value={filled.to} />
          <Submit>{words.find}</Submit>
        </form>
        <div id="found" aria-live="polite">
          {found === null ? null : <Found passages={found} />}
        </div>
      </x-library>
    </Row>
  );
};

const Found = ({ passages }: { readonly passages: Passages }) => {
  const { library: words } = usePage().words;
  if (passages.length === 0) return <p class="quiet-text">{words.nothing}</p>;
  return (
    <ol>
      {passages.map(({ videoId, title, start, timestamp, text, language }) => (
        <li>
          <p>
            <a href={`/t/${videoId}?lang=${encodeURIComponent(language)}#t=${Math.floor(start)}`}>
              {title ?? videoId} · {timestamp}
            </a>
          </p>
          <p lang={language}>{text}</p>
        </li>
      ))}
    </ol>
  );
};

const Video = ({ videoId, title, channel, language, keptAt }: KeptVideos[number]) => {
  const { library: words } = usePage().words;
  return (
    <Row>
      <p>
        <strong>{title ?? videoId}</strong>{' '}
        <span class="quiet-text small">
          {[channel, language].filter(Boolean).join(' · ')} · <Time at={keptAt} />
        </span>
      </p>
      <PostButton action={`/account/library/${videoId}/remove`}>{words.remove}</PostButton>
    </Row>
  );
};
