import type { Commands } from '../../../../commands.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { PostButton, Submit } from '../parts/form.tsx';
import { Time } from '../parts/times.tsx';

type KeptVideos = Awaited<ReturnType<Commands['listLibrary']>>;
type Passages = Awaited<ReturnType<Commands['browseLibrary']>>;

type LibraryView = {
  readonly videos: KeptVideos;
  /** Null: nothing is searched for. */
  readonly found: Passages | null;
  readonly keepByDefault: boolean;
  readonly query: string;
  readonly lang: string;
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
            <PostButton action="/account/library/clear">{words.clear}</PostButton>
          </Row>
        )}
      </>
    ),
  });
};

const Search = ({ found, query, lang }: LibraryView) => {
  const { library: words } = usePage().words;
  return (
    <Row>
      <x-library>
        <form method="get" action="/account/library">
          <label class="field">
            {words.search}
            <input type="search" name="q" value={query} maxlength={500} autocomplete="off" />
          </label>
          <label class="field">
            {words.language}
            <input type="text" name="lang" value={lang} maxlength={35} />
          </label>
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
      {passages.map(({ videoId, title, timestamp, text, url, language }) => (
        <li>
          <p>
            <a href={url}>
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
