import type { StartedJob } from '../../../commands.ts';
import { listings as kinds, listingParam } from '../../../contract/listings.ts';
import { isDryRun, quoteAnswer } from '../middleware/dry-run.ts';
import { createdAnswer, naming } from '../middleware/job-creation.ts';
import { listingBody } from '../middleware/listing-answer.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

/** The videos of a playlist or a channel, and a job over them. */
export const listings = ({ commands }: Application<'listSource' | 'planJob' | 'quoteListing' | 'startJob'>): Route[] =>
  Object.values(kinds).flatMap(({ kind, read, start }) => {
    const names = { [`${kind}_id`]: listingParam(kind), url: 'webhook_url' };
    return [
      keyRoute(read, async ({ call, params, query: { limit }, requestInfo }) => {
        const reference = params[listingParam(kind)] ?? '';
        if (isDryRun(requestInfo.request.headers))
          return quoteAnswer(commands.quoteListing({ kind, reference, limit }));
        const paid = await naming(names, commands.listSource(call, { kind, reference, limit }));
        return json(listingBody(kind, paid, limit), { headers: receiptHeaders(paid) });
      }),

      keyRoute(start, async ({ call, params, body, requestInfo }) => {
        const reference = params[listingParam(kind)] ?? '';
        const shown = (started: StartedJob) => ({
          [`${kind}_id`]: started.source ?? reference,
          videos_found: started.totalItems,
          job_id: started.jobId,
          status: started.status,
        });
        const of = { kind, references: [reference] };
        return createdAnswer({ commands, call, requestInfo }, of, body, { names, shown });
      }),
    ];
  });
