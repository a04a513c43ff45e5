import { readStatement } from '../../../../contract/statements.ts';
import { statementText } from '../../../../queries.ts';
import { bytes } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { userPage, type WebsiteDeps } from '../page.ts';
import { statementPage, statementsPage } from './statement-page.tsx';

/** The statements of an account: the list, and each as a page or as a file with the bytes of the endpoint. */
export const statementRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/statements' }, async ({ context, user: { accountId } }) =>
    statementsPage(context, await deps.queries.statementPeriods(accountId)),
  ),
  userPage(
    deps,
    { method: 'GET', path: '/account/statements/:period' },
    async ({ context, params, query, user: { accountId } }) => {
      const { period } = readStatement.params.parse({ period: params['period'] });
      const statement = await deps.queries.statement(accountId, period);
      if (!query.has('format')) {
        const keys = await deps.queries.keys(accountId);
        return statementPage(context, statement, new Map(keys.map(({ keyId, name }) => [keyId, name])));
      }
      const { format } = readStatement.query.parse({ format: query.get('format') });
      const headers = { 'Content-Disposition': `attachment; filename="statement-${period}.${format}"` };
      const text = statementText(statement, format);
      return format === 'csv'
        ? bytes(text, { contentType: 'text/csv; charset=utf-8', headers })
        : bytes(text, { headers });
    },
  ),
];
