import { type Commands, timestampOf } from '../../../../commands.ts';
import { documentOf, Row, Section, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { Choice, PostButton, Submit } from '../parts/form.tsx';
import { Time } from '../parts/times.tsx';
import { fill, languageName, languageQuery } from '../words.ts';

type Versions = Awaited<ReturnType<Commands['libraryVersions']>>['versions'];

type KeptVideoView = {
  readonly videoId: string;
  readonly title: string | null;
  readonly versions: Versions;
  /** Null: there is one version. */
  readonly compared:
    | null
    | ({ readonly from: number; readonly to: number } & Pick<
        Awaited<ReturnType<Commands['compareVersions']>>,
        'changes'
      >);
};

/** The versions of a kept video, and the lines by which two of them differ. */
export const keptVideoPage = documentOf((view: KeptVideoView) => {
  const context = usePage();
  const { account, library: words } = context.words;
  const { videoId, title, versions, compared } = view;
  const newest = versions.at(-1);
  return (
    <AccountPage title={title ?? videoId} current="library">
      <Row>
        <p>
          <a href="/account/library">← {account.library}</a>
        </p>
        {newest === undefined ? null : (
          <p>
            <a href={`/t/${videoId}${languageQuery(newest.language)}`}>{words.read}</a>
          </p>
        )}
        <PostButton action={`/account/library/${videoId}/remove`}>{words.remove}</PostButton>
      </Row>
      <Section>
        <h2>{words.versions}</h2>
        <ul>
          {versions.map(({ version, language, firstSeenAt }) => (
            <li>
              {fill(words.version, { n: String(version) })}{' '}
              <span class="quiet-text small">
                {languageName(context.words.language, language)} · <Time at={firstSeenAt} />
              </span>
            </li>
          ))}
        </ul>
        {compared === null ? null : <Comparison {...{ videoId, versions, compared }} />}
      </Section>
    </AccountPage>
  );
});

type ComparisonView = Pick<KeptVideoView, 'videoId' | 'versions'> & {
  readonly compared: NonNullable<KeptVideoView['compared']>;
};

const Comparison = ({ videoId, versions, compared: { from, to, changes } }: ComparisonView) => {
  const { library: words, language: ui } = usePage().words;
  const options = versions.map(
    ({ version, language }) => [version, `${version} · ${languageName(ui, language)}`] as const,
  );
  return (
    <>
      <form method="get" action={`/account/library/${videoId}`}>
        <Choice id="from" label={words.older} value={from} options={options} />
        <Choice id="to" label={words.newer} value={to} options={options} />
        <Submit>{words.compare}</Submit>
      </form>
      {changes.length === 0 ? (
        <p class="quiet-text">{words.same}</p>
      ) : (
        <ul id="changes">
          {changes.map(({ change, line: { text, startMs } }) => (
            <li>
              <span class="quiet-text small">{timestampOf(startMs)}</span>{' '}
              {change === 'removed' ? <del>− {text}</del> : <ins>+ {text}</ins>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};
