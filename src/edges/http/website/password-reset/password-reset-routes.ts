import { requestPasswordReset, resetPassword } from '../../../../contract/sign-in.ts';
import type { Refusal } from '../../../../kernel/refusal.ts';
import { newPasswordIn, resetRequestIn } from '../../middleware/account-requests.ts';
import type { Route } from '../../middleware/route.ts';
import { passwordResetCookies } from '../../middleware/session.ts';
import { html, ownReferrer, type PageRequest, page, redirect, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { formRefusal } from '../refusal-text.ts';
import { forgotPage, resetPage } from './password-reset-page.tsx';

/** A forgotten password: the page that sends a link, and the page that the link opens. */
export const passwordResetRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/forgot', rateLimit: 'session' }, ({ context }) =>
    forgotPage(context, { ...forgotOf(deps), email: '', notice: null }),
  ),
  page(
    deps,
    {
      ...{ method: 'POST', path: '/forgot', rateLimit: 'session' },
      refused: ({ context, form }, text, { code }) => {
        // The page says whom to ask where no mail is sent.
        const notice = code === 'NOT_FOUND' ? null : ({ kind: 'bad', text } as const);
        return forgotPage(context, { ...forgotOf(deps), email: form.get('email') ?? '', notice });
      },
    },
    async ({ context, form, requestInfo }) => {
      const body = bodyOf(requestPasswordReset, { email: form.get('email') ?? '' });
      await deps.commands.requestPasswordReset(resetRequestIn(requestInfo, body));
      const notice = { kind: 'ok', text: context.words.auth.forgotSent } as const;
      return forgotPage(context, { ...forgotOf(deps), email: '', notice });
    },
  ),
  page(deps, { method: 'GET', path: '/reset', rateLimit: 'session' }, async ({ context, query }) => {
    const token = query.get('token') ?? '';
    const isGood = await deps.commands.isPasswordLink(token);
    const body = resetPage(context, { token: isGood ? token : null, wrong: null });
    return html(body, isGood ? 200 : 400, ownReferrer);
  }),
  page(
    deps,
    { method: 'POST', path: '/reset', rateLimit: 'session', refused: resetRefused },
    async ({ form, requestInfo }) => {
      const fields = { token: form.get('token') ?? '', new_password: form.get('password') ?? '' };
      const wanted = newPasswordIn(requestInfo, bodyOf(resetPassword, fields));
      const { deviceToken } = await deps.commands.resetPassword(wanted);
      const cookies = passwordResetCookies(deps, requestInfo, deviceToken);
      return redirect('/login?told=password', { 'Set-Cookie': cookies });
    },
  ),
];

const forgotOf = ({ mail }: WebsiteDeps) => ({ isMailing: mail.isSent, supportContact: mail.supportContact });

const resetRefused = ({ context, form }: PageRequest, _: string, refusal: Refusal) => {
  if (refusal.code !== 'INVALID_REQUEST') throw refusal;
  const { fields, message } = formRefusal(context.words, refusal);
  const isBadLink = fields['token'] !== undefined;
  const token = form.get('token') ?? '';
  const view = isBadLink ? { token: null, wrong: null } : { token, wrong: fields['new_password'] ?? message };
  return html(resetPage(context, view), 400, ownReferrer);
};
