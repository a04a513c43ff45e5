import { recognitionPrice } from '../../../../contract/transcripts.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import type { Refusal } from '../../../../kernel/refusal.ts';
import { isTerminal, type JobItemRow, type JobRow } from '../../../../queries.ts';
import { documentOf, type PageContext, Row, Section, usePage } from '../layout.tsx';
import { Field, Note, Once, PostButton } from '../parts/form.tsx';
import { priceOfLook } from '../parts/price.ts';
import { refusalText, toldIn } from '../refusal-text.ts';
import { fill, number, plural, type Words } from '../words.ts';
import { Time } from './account-frame.tsx';

/** A line of a list, by its number in what was typed. */
export type Line = { readonly number: number; readonly text: string };

export type ManyView = {
  readonly links: string;
  readonly language: string;
  /** Null: speech recognition is not offered. */
  readonly recognizesSpeech: boolean | null;
  /** What the list comes to; null before it was counted. */
  readonly plan: {
    readonly videos: number | null;
    readonly credits: number;
    readonly duplicates: number;
    readonly invalid: readonly Line[];
    /** Beyond what one job holds. */
    readonly beyond: readonly Line[];
    /** What the platform refuses to list. The job would be without it. */
    readonly refused: readonly (Line & { readonly reference: string; readonly refusal: Refusal })[];
    /** Names the list that the price is of. */
    readonly listed: string;
  } | null;
  /** What keeps the list from being counted or started. */
  readonly wrong: 'tooMany' | Refusal | null;
  readonly needsSignIn: boolean;
};

/** A link a line; the price stands on the button before anything starts. */
export const manyPage = (context: PageContext, view: ManyView): string => {
  const { many, site, tabs, language } = context.words;
  const { plan } = view;
  return documentOf(context, {
    title: site.many,
    children: (
      <Section>
        <h1>{site.many}</h1>
        <p>{many.intro}</p>
        {view.wrong === null ? null : <Wrong wrong={view.wrong} />}
        {view.needsSignIn ? (
          <Note kind="warn">
            <p>{many.signIn}</p>
            <p>
              <a href="/login?next=/many" target="_blank" rel="noopener">
                {site.signIn}
              </a>{' '}
              <a href="/register" target="_blank" rel="noopener">
                {site.register}
              </a>
            </p>
          </Note>
        ) : null}
        {plan === null ? null : <Plan plan={plan} />}
        <form method="post" action="/many">
          <Once />
          {plan === null ? null : <input type="hidden" name="listed" value={plan.listed} />}
          {plan?.refused.map(({ reference }) => (
            <input type="hidden" name="without" value={reference} />
          ))}
          <x-lines data-counts={many.counts}>
            <label for="links">{many.field}</label>
            <textarea id="links" name="links" spellcheck={false} required rows={12}>
              {/* HTML drops the first line end of a field. An empty first line would be lost, and all numbers wrong. */}
              {`\n${view.links}`}
            </textarea>
            <p class="hint small">
              <output>{many.hint}</output>
            </p>
          </x-lines>
          <Field id="lang" label={many.language} maxlength={35} value={view.language} placeholder="en" />
          {view.recognizesSpeech === null ? null : (
            <label class="check field">
              <input type="checkbox" name="asr" value="auto" checked={view.recognizesSpeech} />
              {fill(many.speech, { price: plural(language, tabs.credits, recognitionPrice) })}
            </label>
          )}
          <div class="actions">
            {plan === null || plan.credits === 0 ? null : (
              <button type="submit" name="do" value="start">
                {fill(many.start, { price: plural(language, tabs.credits, plan.credits) })}
              </button>
            )}
            <button type="submit" name="do" value="count" class="quiet">
              {plan === null ? many.count : many.countAgain}
            </button>
          </div>
        </form>
      </Section>
    ),
  });
};

const Plan = ({ plan }: { readonly plan: NonNullable<ManyView['plan']> }) => {
  const { many, language } = usePage().words;
  const leftOut = [
    { heading: many.refused, lines: plan.refused },
    { heading: many.invalid, lines: plan.invalid },
    { heading: many.beyond, lines: plan.beyond },
  ].filter(({ lines }) => lines.length > 0);
  return (
    <Note kind={leftOut.length === 0 ? 'ok' : 'warn'}>
      <p>
        {plan.videos === null ? many.unknown : plural(language, many.videos, plan.videos)}{' '}
        {plan.duplicates === 0 ? null : plural(language, many.duplicates, plan.duplicates)}
      </p>
      {leftOut.map(({ heading, lines }) => (
        <>
          <p>{plural(language, heading, lines.length)}</p>
          <ul>
            {lines.slice(0, 20).map((line) => (
              <LeftOut line={line} />
            ))}
          </ul>
        </>
      ))}
      {leftOut.length === 0 ? null : <p>{many.leftOut}</p>}
    </Note>
  );
};

const LeftOut = ({ line }: { readonly line: Line & { readonly refusal?: Refusal } }) => {
  const { words } = usePage();
  return (
    <li>
      {fill(words.many.line, { n: number(words.language, line.number) })} <code>{line.text.slice(0, 200)}</code>
      {line.refusal === undefined ? null : ` ${refusalText(words, line.refusal)}`}
    </li>
  );
};

/** What keeps the whole list from being counted or started. */
const Wrong = ({ wrong }: { readonly wrong: NonNullable<ManyView['wrong']> }) => {
  const context = usePage();
  const { many, errors } = context.words;
  if (wrong === 'tooMany') return <Note kind="bad">{many.tooMany}</Note>;
  return (
    <Note kind="bad">
      {toldIn(context.words, wrong)}{' '}
      {wrong.code === 'INSUFFICIENT_CREDITS' ? <a href="/account/plans">{errors.credits}</a> : null}
    </Note>
  );
};

/** The playlist or channel of a job; a list of videos by their number, once they are counted. */
export const titleOf = ({ words: { many, language } }: PageContext, job: JobRow): string => {
  if (job.reference !== null) return job.reference;
  return job.kind === 'batch' && job.totalItems > 0
    ? plural(language, many.listed, job.totalItems)
    : many.kinds[job.kind];
};

/** The jobs of an account, newest first. */
export const jobsPage = (
  context: PageContext,
  view: { readonly jobs: readonly JobRow[]; readonly nextBefore: string | null },
): string => {
  const { many, site, account, language } = context.words;
  return documentOf(context, {
    title: site.jobs,
    isPrivate: true,
    children: (
      <>
        <Section>
          <h1>{site.jobs}</h1>
          {view.jobs.length === 0 ? <p>{many.none}</p> : null}
          <p>
            <a class="button" href="/many">
              {many.newJob}
            </a>
          </p>
        </Section>
        {view.jobs.map((job) => (
          <Row at={`${number(language, job.completedItems + job.failedItems)} / ${number(language, job.totalItems)}`}>
            <p>
              <a href={`/jobs/${job.jobId}`}>{titleOf(context, job)}</a>{' '}
              <span class="badge">
                {signs[job.status]} {many.status[job.status]}
              </span>{' '}
              <span class="quiet-text small">
                <Time at={job.createdAt} />
              </span>
            </p>
          </Row>
        ))}
        {view.nextBefore === null ? null : (
          <Row>
            <a href={`/jobs?before=${view.nextBefore}`}>{account.next}</a>
          </Row>
        )}
      </>
    ),
  });
};

const signs = {
  queued: '…',
  processing: '▶',
  complete: '✓',
  completed: '✓',
  completed_with_errors: '!',
  failed: '✗',
  cancelled: '–',
} as const;

export type JobView = {
  readonly job: JobRow;
  readonly items: readonly JobItemRow[];
  /** Video and language of what can be read again free of charge. */
  readonly paidCaptions: ReadonlySet<string>;
};

/** One job: how far it is, each item, and what can be done. It follows the job by itself. */
export const jobPage = (context: PageContext, { job, items, paidCaptions }: JobView): string => {
  const { many } = context.words;
  const prices = [false, true].map((isPaid) => priceOfLook(context.words, isPaid));
  const priceOf = ({ videoId, language }: JobItemRow): string =>
    prices[paidCaptions.has(`${videoId} ${language}`) ? 1 : 0] ?? '';
  const isOver = isTerminal(job);
  return documentOf(context, {
    title: titleOf(context, job),
    isPrivate: true,
    // Without scripts the page loads itself again while the job runs.
    refreshS: isOver ? null : 5,
    children: (
      <x-live id="live" {...(isOver ? {} : { 'data-events': `/jobs/${job.jobId}/events` })}>
        <Section at={many.kinds[job.kind]}>
          <h1>{titleOf(context, job)}</h1>
          <Progress job={job} />
          <p class="when-lost" role="status">
            {many.reconnecting}
          </p>
          <JobActions job={job} isOver={isOver} />
        </Section>
        {items.map((item, index) => (
          <Item item={item} number={index + 1} states={many.itemStatus} price={priceOf(item)} />
        ))}
        {items.length < job.totalItems && items.length > 0 ? (
          <Row>
            <p class="quiet-text">{fill(many.more, { n: job.totalItems - items.length })}</p>
          </Row>
        ) : null}
      </x-live>
    ),
  });
};

const Progress = ({ job }: { readonly job: JobRow }) => {
  const { many, language } = usePage().words;
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
      <progress max={Math.max(1, job.totalItems)} value={done} aria-label={many.label} />
      {job.errorCode === null ? null : (
        <Note kind="bad">
          <WhyFailed code={job.errorCode} message={job.errorMessage} />{' '}
          <a href={`/docs/errors/${job.errorCode}`}>{job.errorCode}</a>
        </Note>
      )}
    </>
  );
};

/** What is stored is in English, and more exact than its code; in other languages the code is said. */
const WhyFailed = ({ code, message }: { readonly code: string; readonly message: string | null }) => {
  const { words } = usePage();
  const codes: Readonly<Record<string, string>> = words.refusals.codes;
  return <>{words.language === 'en' ? message : (ownValue(codes, code) ?? words.errors.fault)}</>;
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
          <a href={`${base}/results.ndjson`} download>
            NDJSON
          </a>
          <a href={`${base}/results.md`} download>
            Markdown
          </a>
          <a href={`${base}/results.zip`} download>
            ZIP
          </a>
        </>
      )}
    </div>
  );
};

/** `states`: handed on, because a page has up to a thousand items: 2 ms instead of 6. */
const Item = ({
  item,
  number: n,
  states,
  price,
}: {
  readonly item: JobItemRow;
  readonly number: number;
  readonly states: Words['many']['itemStatus'];
  readonly price: string;
}) => {
  const name = item.videoId ?? item.reference;
  const query = item.language === null ? '' : `?lang=${encodeURIComponent(item.language)}`;
  return (
    <Row at={n}>
      <p>
        {item.status === 'complete' && item.videoId !== null ? (
          <>
            <a href={`/t/${item.videoId}${query}`}>{name}</a> <span class="small quiet-text">{price}</span>
          </>
        ) : (
          name
        )}{' '}
        <span class="small quiet-text">
          {signs[item.status]} {states[item.status]}
        </span>{' '}
        {item.errorCode === null ? null : (
          <span class="small">
            <a href={`/docs/errors/${item.errorCode}`}>{item.errorCode}</a>{' '}
            <WhyFailed code={item.errorCode} message={item.errorMessage} />
          </span>
        )}
      </p>
    </Row>
  );
};
