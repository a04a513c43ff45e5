import { proveMailbox } from '../../../../contract/sign-in.ts';
import { requestOf } from '../../middleware/build-call.ts';
import type { Route } from '../../middleware/route.ts';
import { html, ownReferrer, page, type WebsiteDeps } from '../page.ts';
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
  // The button proves it, not the opening of the page: programs that read mails open links.
  page(
    deps,
    {
      ...{ method: 'POST', path: '/mailbox', rateLimit: 'session' },
      refused: ({ context }, _, refusal) => {
        if (refusal.code !== 'INVALID_REQUEST') throw refusal;
        return html(mailboxPage(context, { kind: 'bad' }), 400, ownReferrer);
      },
    },
    async ({ context, form, requestInfo }) => {
      const { token } = bodyOf(proveMailbox, { token: form.get('token') ?? '' });
      await deps.commands.proveMailbox({ token, cause: requestOf(requestInfo) });
      return mailboxPage(context, { kind: 'proved' });
    },
  ),
];
