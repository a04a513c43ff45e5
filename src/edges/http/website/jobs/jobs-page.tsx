import type { JobOrder, JobRow, Page, ShownJob } from '../../../../queries.ts';
import { Document, documentOf, type PageContext, Row, Section, usePage } from '../layout.tsx';
import { DataTable, Next, numeric } from '../parts/data-table.tsx';
import { type ListSort, nextAddress, sortIn } from '../parts/sorting.ts';
import { StateFilter } from '../parts/state-filter.tsx';
import { Time } from '../parts/times.tsx';
import { fill, number, plural, type Words } from '../words.ts';

/** The playlist or channel of a job; a list of videos by their number, once they are counted. */
export const titleOf = ({ words: { many, language } }: PageContext, job: JobRow): string => {
  if (job.reference !== null) return job.reference;
  return job.kind === 'batch' && job.totalItems > 0
    ? plural(language, many.listed, job.totalItems)
    : many.kinds[job.kind];
};

/** The order of the list at an address. */
export const jobSort = (address: string): ListSort<JobOrder['by']> =>
  sortIn<JobOrder['by']>(
    address,
    { reference: 'ascending', items: 'descending', credits: 'descending', created: 'descending' },
    'created',
  );

type JobsView = {
  readonly jobs: Page<ShownJob>;
  /** Only jobs of this status are listed; null: all. */
  readonly status: string | null;
};

/** The jobs of an account. */
export const jobsPage = documentOf(({ jobs: { rows, nextBefore }, status }: JobsView) => {
  const context = usePage();
  const { many, site, account } = context.words;
  const { links } = jobSort(context.url);
  return (
    <Document title={site.jobs} isPrivate>
      <Section>
        <h1>{site.jobs}</h1>
        {rows.length === 0 && status === null ? <p>{many.none}</p> : null}
        <p>
          <a class="button" href="/many">
            {many.newJob}
          </a>
        </p>
      </Section>
      {rows.length === 0 && status === null ? null : (
        <Row>
          <StateFilter address={context.url} label={many.state} states={many.status} current={status} />
          {rows.length === 0 ? <p class="quiet-text">{account.none}</p> : <JobTable jobs={rows} links={links} />}
          <Next href={nextAddress(context.url, nextBefore)} />
        </Row>
      )}
    </Document>
  );
});

/** Jobs side by side: how far each is, and what it costs. `links`: the heads of the columns sort by these. */
export const JobTable = ({
  jobs,
  links,
}: {
  readonly jobs: readonly ShownJob[];
  readonly links?: ReturnType<typeof jobSort>['links'];
}) => {
  const context = usePage();
  const { many, site, account, language } = context.words;
  return (
    <DataTable
      label={site.jobs}
      columns={[
        { name: many.job, sort: links?.reference },
        many.state,
        numeric(many.done, links?.items),
        numeric(account.credits, links?.credits),
        { name: account.when, sort: links?.created },
      ]}
      rows={jobs.map((job) => [
        <a href={`/jobs/${job.jobId}`}>{titleOf(context, job)}</a>,
        <span class="badge">
          {signs[job.status]} {many.status[job.status]}
        </span>,
        `${number(language, job.completedItems + job.failedItems)} / ${number(language, job.totalItems)}`,
        costOf(context.words, job),
        <Time at={job.createdAt} />,
      ])}
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
