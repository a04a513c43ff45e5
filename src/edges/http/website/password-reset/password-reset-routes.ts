import { requestPasswordReset, resetPassword } from '../../../../contract/sign-in.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import { newPasswordIn, resetRequestIn } from '../../middleware/account-requests.ts';
import type { Route } from '../../middleware/route.ts';
import { passwordResetCookies } from '../../middleware/session.ts';
import { html, ownReferrer, type PageRequest, page, redirect, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { formRefusal, toldIn } from '../refusal-text.ts';
import { forgotPage, resetPage } from './password-reset-page.tsx';

/** A forgotten password: the page that sends a link, and the page that the link opens. */
export const passwordResetRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/forgot', rateLimit: 'session' }, ({ context }) =>
    forgotPage(context, { ...forgotOf(deps), email: '', notice: null }),
  ),
  page(deps, { method: 'POST', path: '/forgot', rateLimit: 'session' }, (request) => forgot(deps, request)),
  page(deps, { method: 'GET', path: '/reset', rateLimit: 'session' }, async ({ context, query }) => {
    const token = query.get('token') ?? '';
    const isGood = await deps.commands.isPasswordLink(token);
    const body = resetPage(context, { token: isGood ? token : null, wrong: null });
    return html(body, isGood ? 200 : 400, ownReferrer);
  }),
  page(deps, { method: 'POST', path: '/reset', rateLimit: 'session' }, (request) => reset(deps, request)),
];

const forgotOf = ({ mail }: WebsiteDeps) => ({ isMailing: mail.isSent, supportContact: mail.supportContact });

const forgot = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  const email = form.get('email') ?? '';
  try {
    await deps.commands.requestPasswordReset(resetRequestIn(requestInfo, bodyOf(requestPasswordReset, { email })));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The page says whom to ask where no mail is sent.
    if (error.code === 'NOT_FOUND') {
      return html(forgotPage(context, { ...forgotOf(deps), email, notice: null }), 404);
    }
    const notice = { kind: 'bad', text: toldIn(context.words, error) } as const;
    const status = error.code === 'RATE_LIMITED' ? 429 : 400;
    return html(forgotPage(context, { ...forgotOf(deps), email, notice }), status);
  }
  const notice = { kind: 'ok', text: context.words.auth.forgotSent } as const;
  return forgotPage(context, { ...forgotOf(deps), email: '', notice });
};

const reset = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  const token = form.get('token') ?? '';
  try {
    const body = bodyOf(resetPassword, { token, new_password: form.get('password') ?? '' });
    const { deviceToken } = await deps.commands.resetPassword(newPasswordIn(requestInfo, body));
    const cookies = passwordResetCookies(deps, requestInfo, deviceToken);
    return redirect('/login?told=password', { 'Set-Cookie': cookies });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    const { fields, message } = formRefusal(context.words, error);
    const isBadLink = fields['token'] !== undefined;
    const view = isBadLink ? { token: null, wrong: null } : { token, wrong: fields['new_password'] ?? message };
    return html(resetPage(context, view), 400, ownReferrer);
  }
};
