import { proveMailbox } from '../../../../contract/sign-in.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import { requestOf } from '../../middleware/build-call.ts';
import type { Route } from '../../middleware/route.ts';
import { html, ownReferrer, type PageRequest, page, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { mailboxPage } from './email-verification-page.tsx';

/** The page behind a link that verifies an e-mail address. */
export const emailVerificationRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/mailbox', rateLimit: 'session' }, async ({ context, query }) => {
    const token = query.get('token') ?? '';
    const isGood = await deps.commands.isMailboxLink(token);
    const body = mailboxPage(context, isGood ? { kind: 'ask', token } : { kind: 'bad' });
    return html(body, isGood ? 200 : 400, ownReferrer);
  }),
  page(deps, { method: 'POST', path: '/mailbox', rateLimit: 'session' }, (request) => prove(deps, request)),
];

/** The button proves it, not the opening of the page: programs that read mails open links. */
const prove = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  try {
    const { token } = bodyOf(proveMailbox, { token: form.get('token') ?? '' });
    await deps.commands.proveMailbox({ token, cause: requestOf(requestInfo) });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    return html(mailboxPage(context, { kind: 'bad' }), 400, ownReferrer);
  }
  return mailboxPage(context, { kind: 'proved' });
};
