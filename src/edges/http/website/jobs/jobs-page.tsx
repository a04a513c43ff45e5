import type { JobRow } from '../../../../queries.ts';
import { documentOf, type PageContext, Row, Section } from '../layout.tsx';
import { Time } from '../parts/account-frame.tsx';
import { number, plural } from '../words.ts';

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

export const signs = {
  queued: '…',
  processing: '▶',
  complete: '✓',
  completed: '✓',
  completed_with_errors: '!',
  failed: '✗',
  cancelled: '–',
} as const;
