import type { IncomingHttpHeaders } from 'node:http';
import { costTag } from '../../../contract/charged.ts';
import type { Call } from '../../../kernel/call.ts';
import { invalidRequest } from '../../../kernel/refusal.ts';

/** The call with the tag of the header or of the body. Throws INVALID_REQUEST for one that is malformed, or for two that differ. */
export const withCostTag = (call: Call, headers: IncomingHttpHeaders, body: unknown): Call => {
  const inHeader = headers['x-cost-tag'];
  const inBody = typeof body === 'object' && body !== null && 'cost_tag' in body ? body.cost_tag : undefined;
  const tag = inHeader ?? inBody;
  if (tag === undefined) return call;
  const parsed = costTag.safeParse(tag);
  if (!parsed.success) {
    throw invalidRequest(`X-Cost-Tag ${parsed.error.issues[0]?.message}`, { path: 'X-Cost-Tag', code: 'malformed' });
  }
  if (inBody !== undefined && inBody !== parsed.data) {
    const message = 'X-Cost-Tag and cost_tag of the body differ.';
    throw invalidRequest(message, { path: 'cost_tag', code: 'contradiction' });
  }
  return { ...call, costTag: parsed.data };
};
