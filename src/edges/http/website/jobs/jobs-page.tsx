import type { JobRow, ShownJob } from '../../../../queries.ts';
import { documentOf, type PageContext, Row, Section } from '../layout.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Time } from '../parts/times.tsx';
import { fill, number, plural, type Words } from '../words.ts';

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
  view: { readonly jobs: readonly ShownJob[]; readonly nextBefore: string | null },
): string => {
  const { many, site, account } = context.words;
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
        {view.jobs.length === 0 ? null : (
          <Row>
            <JobTable context={context} jobs={view.jobs} />
          </Row>
        )}
        {view.nextBefore === null ? null : (
          <Row>
            <a href={`/jobs?before=${view.nextBefore}`}>{account.next}</a>
          </Row>
        )}
      </>
    ),
  });
};

/** Jobs side by side: how far each is, and what it costs. */
export const JobTable = ({ context, jobs }: { readonly context: PageContext; readonly jobs: readonly ShownJob[] }) => {
  const { many, site, account, language } = context.words;
  return (
    <DataTable
      label={site.jobs}
      columns={[
        { name: many.job },
        { name: many.state },
        { name: many.done, isNumber: true },
        { name: account.credits, isNumber: true },
        { name: account.when },
      ]}
      groups={[
        {
          heading: null,
          rows: jobs.map((job) => [
            <a href={`/jobs/${job.jobId}`}>{titleOf(context, job)}</a>,
            <span class="badge">
              {signs[job.status]} {many.status[job.status]}
            </span>,
            `${number(language, job.completedItems + job.failedItems)} / ${number(language, job.totalItems)}`,
            costOf(context.words, job),
            <Time at={job.createdAt} />,
          ]),
        },
      ]}
    />
  );
};

/** What a job cost so far and, while credits are set aside for it, what it costs at most. */
export const costOf = (
  { many, language }: Words,
  { creditsCharged, creditsReserved }: Pick<ShownJob, 'creditsCharged' | 'creditsReserved'>,
): string => {
  const charged = number(language, creditsCharged);
  if (creditsReserved === 0) return charged;
  return fill(many.costSoFar, { charged, most: number(language, creditsCharged + creditsReserved) });
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
