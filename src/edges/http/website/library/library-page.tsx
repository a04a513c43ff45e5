import type { Commands } from '../../../../commands.ts';
import { askLibrary, libraryCursor, librarySearchQuery } from '../../../../contract/library.ts';
import { ask } from '../../../../contract/operations/ask.ts';
import { documentOf, Row, Section, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, Next } from '../parts/data-table.tsx';
import { Field, Note, PostButton, PostForm, Submit } from '../parts/form.tsx';
import { withPrice } from '../parts/price.ts';
import { operationLabel } from '../parts/tabs.tsx';
import { Time } from '../parts/times.tsx';
import { fill, languageName, languageQuery, plural } from '../words.ts';

type KeptVideos = Awaited<ReturnType<Commands['listLibrary']>>['rows'];
type Passages = Awaited<ReturnType<Commands['browseLibrary']>>;
export type LibraryAnswer = Awaited<ReturnType<Commands['askLibrary']>>;

type LibraryView = {
  /** Nothing is kept, so there is nothing to search or ask. */
  readonly isEmpty: boolean;
  readonly videos: KeptVideos;
  readonly hasMore: boolean;
  /** Null: nothing is searched for. */
  readonly found: Passages | null;
  readonly keepByDefault: boolean;
  /** What was filled in: fields are named as in the API; `from` and `to` are days. */
  readonly filled: Readonly<Record<'q' | 'lang' | 'channel' | 'from' | 'to', string>>;
  readonly asking: AskView;
};

export type AskView = {
  /** The most that a question costs now. */
  readonly price: number;
  /** No provider is configured: every answer is an extract. */
  readonly isExtractOnly: boolean;
  readonly question: string;
  readonly answer: LibraryAnswer | null;
  /** Why the question was not answered. */
  readonly refused: string | null;
};

/** The kept videos of an account, the passages that a search over them found, and the answer to a question. */
export const libraryPage = documentOf((view: LibraryView) => {
  const { account, library: words } = usePage().words;
  const { videos, keepByDefault } = view;
  const last = videos.at(-1);
  return (
    <AccountPage title={account.library} current="library">
      <Row>
        <p>{words.about}</p>
        <div class="actions">
          {keepByDefault ? words.keeping : words.notKeeping}
          <PostButton action="/account/library/default" fields={{ keep: String(!keepByDefault) }}>
            {keepByDefault ? words.keepLess : words.keepAll}
          </PostButton>
        </div>
      </Row>
      {view.isEmpty ? null : (
        <>
          <Search {...view} />
          <Ask {...view.asking} />
        </>
      )}
      {last === undefined ? null : (
        <Row>
          <h2>{words.videos}</h2>
          <Videos videos={videos} />
          <Next href={view.hasMore ? `/account/library?cursor=${libraryCursor(last)}` : null} />
          <div class="actions">
            <a class="button quiet" href="/account/library/export" download>
              {words.export}
            </a>
            <PostButton action="/account/library/clear">{words.clear}</PostButton>
          </div>
        </Row>
      )}
    </AccountPage>
  );
});

const Search = ({ found, filled }: LibraryView) => {
  const { library: words } = usePage().words;
  return (
    <Row>
      <x-library>
        <form method="get" action="/account/library">
          <Field
            id="q"
            label={words.search}
            type="search"
            value={filled.q}
            of={librarySearchQuery}
            autocomplete="off"
          />
          <details open={[filled.lang, filled.channel, filled.from, filled.to].some((value) => value !== '')}>
            <summary>{words.narrow}</summary>
            <Field id="lang" label={words.language} value={filled.lang} of={librarySearchQuery} />
            <Field id="channel" label={words.channel} value={filled.channel} of={librarySearchQuery} />
            <Field id="from" label={words.from} type="date" value={filled.from} />
            <Field id="to" label={words.until} type="date" value={filled.to} />
          </details>
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
  return passages.length === 0 ? <p class="quiet-text">{words.nothing}</p> : <Places places={passages} />;
};

type Place = Pick<Passages[number], 'videoId' | 'title' | 'start' | 'timestamp' | 'text' | 'language'>;

/** Each with the link to its second. */
const Places = ({ places }: { readonly places: readonly Place[] }) => (
  <ol>
    {places.map(({ videoId, title, start, timestamp, text, language }) => (
      <li>
        <p>
          <a href={`/t/${videoId}${languageQuery(language)}#t=${Math.floor(start)}`}>
            {title ?? videoId} · {timestamp}
          </a>
        </p>
        <p lang={language}>{text}</p>
      </li>
    ))}
  </ol>
);

const Ask = ({ price, isExtractOnly, question, answer, refused }: AskView) => {
  const { words } = usePage();
  return (
    <Section>
      <h2>{words.library.ask}</h2>
      {refused === null ? null : <Note kind="bad">{refused}</Note>}
      <PostForm action="/account/library/ask" submit={withPrice(words, operationLabel(words, ask), price)}>
        <Field id="question" label={words.tabs.fields.question.label} value={question} required of={askLibrary.body} />
      </PostForm>
      {answer === null ? null : <Answer answer={answer} isExtractOnly={isExtractOnly} />}
    </Section>
  );
};

type AnswerView = { readonly answer: LibraryAnswer } & Pick<AskView, 'isExtractOnly'>;

const Answer = ({ answer: given, isExtractOnly }: AnswerView) => {
  const { tabs, language: ui } = usePage().words;
  const { answer, grounded, citations, model, creditsCharged, eventId } = given;
  const extract = isExtractOnly ? tabs.extract : tabs.extractFailed;
  return (
    <div id="answer" aria-live="polite">
      {grounded ? <p dir="auto">{answer}</p> : <Note kind="warn">{answer}</Note>}
      {citations.length === 0 ? null : (
        <>
          <h3>{tabs.sources}</h3>
          <Places places={citations} />
        </>
      )}
      <p class="small quiet-text">
        {grounded ? `${model === null ? extract : fill(tabs.model, { model })} ` : null}
        {fill(tabs.charged, { credits: plural(ui, tabs.credits, creditsCharged) })}{' '}
        {eventId === null ? null : <a href={`/account/ledger/${eventId}`}>{tabs.receipt}</a>}
      </p>
    </div>
  );
};

/** The kept videos side by side. */
const Videos = ({ videos }: Pick<LibraryView, 'videos'>) => {
  const { words } = usePage();
  const { account, library, ledger } = words;
  return (
    <DataTable
      label={library.videos}
      columns={[ledger.video, library.byChannel, library.language, account.when, '']}
      rows={videos.map(({ videoId, title, channel, language, keptAt }) => [
        <a href={`/account/library/${videoId}`}>{title ?? videoId}</a>,
        channel,
        languageName(words.language, language),
        <Time at={keptAt} />,
        <PostButton action={`/account/library/${videoId}/remove`} kind="plain">
          {library.remove}
        </PostButton>,
      ])}
    />
  );
};
