import { type DetailedItemRow, isTerminal, type JobRow, type ShownJob } from '../../../../queries.ts';
import { Document, documentOf, Row, Section, usePage } from '../layout.tsx';
import { Note, PostButton } from '../parts/form.tsx';
import { priceOfLook } from '../parts/price.ts';
import { refusalText } from '../refusal-text.ts';
import { fill, languageQuery, number, plural, type Words } from '../words.ts';
import { files } from './job-files.ts';
import { costOf, signs, titleOf } from './jobs-page.tsx';

type JobView = {
  readonly job: ShownJob;
  readonly items: readonly DetailedItemRow[];
  /** Titles of videos by their ids, as far as they are known. */
  readonly titles: ReadonlyMap<string, string>;
  readonly now: Date;
  /** Video and language of what can be read again free of charge. */
  readonly paidCaptions: ReadonlySet<string>;
};

/** One job: how far it is, each item, and what can be done. It follows the job by itself. */
export const jobPage = documentOf(({ job, items, titles, now, paidCaptions }: JobView) => {
  const context = usePage();
  const { many } = context.words;
  const openCosts = fill(many.openCosts, { price: priceOfLook(context.words, false) });
  const isOver = isTerminal(job);
  // Without scripts the page loads itself again while the job runs.
  const refreshS = isOver ? null : 5;
  return (
    <Document title={titleOf(context, job)} isPrivate refreshS={refreshS}>
      <x-live id="live" data-events={isOver ? undefined : `/jobs/${job.jobId}/events`}>
        <Section at={many.kinds[job.kind]}>
          <h1>{titleOf(context, job)}</h1>
          <Progress job={job} now={now} />
          {isOver ? null : <p class="live ok-text small" data-text={`● ${many.live}`} hidden />}
          <p class="when-lost" role="status">
            {many.reconnecting}
          </p>
          <JobActions job={job} isOver={isOver} />
        </Section>
        {items.map((item, index) => (
          <Item
            item={item}
            number={index + 1}
            states={many.itemStatus}
            openCosts={paidCaptions.has(`${item.videoId} ${item.language}`) ? null : openCosts}
            title={titles.get(item.videoId ?? '')}
          />
        ))}
        {items.length < job.totalItems && items.length > 0 ? (
          <Row>
            <p class="quiet-text">{fill(many.more, { n: job.totalItems - items.length })}</p>
          </Row>
        ) : null}
      </x-live>
    </Document>
  );
});

/** About how many minutes the rest takes, as long as its first run did so far for each item; null: that is not known. */
export const minutesLeft = (job: JobRow, now: Date): number | null => {
  const done = job.completedItems + job.failedItems;
  if (isTerminal(job) || job.run > 1 || done === 0) return null;
  const elapsedMs = now.getTime() - Date.parse(job.createdAt);
  return Math.max(1, Math.ceil(((elapsedMs / done) * (job.totalItems - done)) / 60_000));
};

const Progress = ({ job, now }: { readonly job: ShownJob; readonly now: Date }) => {
  const { words } = usePage();
  const { many, account, site, language } = words;
  const left = minutesLeft(job, now);
  const done = job.completedItems + job.failedItems;
  return (
    <>
      <p role="status">
        <span class="badge">
          {signs[job.status]} {many.status[job.status]}
        </span>{' '}
        <span class="number">
          {fill(many.progress, {
            done: number(language, done),
            total: number(language, job.totalItems),
            failed: number(language, job.failedItems),
          })}
        </span>
      </p>
      <p class="quiet-text">
        {account.credits}
        {site.colon}
        <span class="number">{costOf(words, job)}</span>
        {left === null ? null : ` · ${plural(language, many.minutesLeft, left)}`}
      </p>
      <progress max={Math.max(1, job.totalItems)} value={done} aria-label={many.label} />
      {job.errorCode === null ? null : (
        <Note kind="bad" hasFocus={false}>
          <WhyFailed code={job.errorCode} message={job.errorMessage} />{' '}
          <a href={`/docs/errors/${job.errorCode}`}>{job.errorCode}</a>
        </Note>
      )}
    </>
  );
};

/** The stored message, which is in English; in other languages the text of the reason, or else of the code. */
const WhyFailed = ({ code, message, details = null }: WhyFailedProps) => {
  const { words } = usePage();
  if (words.language === 'en') return <>{message}</>;
  return <>{isKnown(words, code) ? refusalText(words, { code, details }) : words.errors.fault}</>;
};

const isKnown = ({ refusals }: Words, code: string): code is keyof typeof refusals.codes =>
  Object.hasOwn(refusals.codes, code);

type WhyFailedProps = {
  readonly code: string;
  readonly message: string | null;
  readonly details?: DetailedItemRow['errorDetails'];
};

const JobActions = ({ job, isOver }: { readonly job: JobRow; readonly isOver: boolean }) => {
  const { many } = usePage().words;
  const base = `/jobs/${job.jobId}`;
  return (
    <div class="actions">
      {isOver ? null : (
        <a class="button bad" href={`${base}/cancel`}>
          {many.cancel}
        </a>
      )}
      {isOver && job.failedItems > 0 && job.status !== 'cancelled' ? (
        <PostButton action={`${base}/retry`}>{many.retry}</PostButton>
      ) : null}
      {job.completedItems === 0 ? null : (
        <>
          <span>{many.download}</span>
          {Object.entries(files).map(([name, { label }]) => (
            <a href={`${base}/${name}`} download>
              {label}
            </a>
          ))}
        </>
      )}
    </div>
  );
};

type ItemProps = {
  readonly item: DetailedItemRow;
  readonly number: number;
  readonly states: Words['many']['itemStatus'];
  readonly openCosts: string | null;
  readonly title: string | undefined;
};

/**
 * `states`: handed on, because a page has up to a thousand items: 2 ms instead of 6.
 * `openCosts`: what its link costs in addition to what the job has charged; null: nothing.
 */
const Item = ({ item, number: n, states, openCosts, title }: ItemProps) => {
  const { tabs, language } = usePage().words;
  const name = title ?? item.videoId ?? item.reference;
  return (
    <Row at={n}>
      <p>
        {item.status === 'complete' && item.videoId !== null ? (
          <>
            <a href={`/t/${item.videoId}${languageQuery(item.language)}`}>{name}</a>
            {openCosts === null ? null : <span class="small quiet-text"> {openCosts}</span>}
          </>
        ) : (
          name
        )}{' '}
        <span class="small quiet-text">
          {signs[item.status]} {states[item.status]}
          {item.status === 'complete' ? ` · ${plural(language, tabs.credits, item.creditsCharged)}` : null}
        </span>{' '}
        {item.errorCode === null ? null : (
          <span class="small">
            <a href={`/docs/errors/${item.errorCode}`}>{item.errorCode}</a>{' '}
            <WhyFailed code={item.errorCode} message={item.errorMessage} details={item.errorDetails} />
          </span>
        )}
      </p>
    </Row>
  );
};
