import { listStatements, readStatement } from '../../../contract/statements.ts';
import { statementText } from '../../../queries.ts';
import { bytes, json } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

/** The statements of an account. */
export const statements = ({ queries }: Application<never, 'statement' | 'statementPeriods'>): Route[] => [
  keyRoute(listStatements, async ({ call }) => json({ statements: await queries.statementPeriods(call.accountId) })),
  keyRoute(readStatement, async ({ call, params: { period }, query: { format } }) => {
    const text = statementText(await queries.statement(call.accountId, period), format);
    return format === 'csv' ? bytes(text, { contentType: 'text/csv; charset=utf-8' }) : bytes(text);
  }),
];
