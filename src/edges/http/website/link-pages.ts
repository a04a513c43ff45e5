import { Refusal } from '../../../kernel/refusal.ts';
import { requestOf } from '../account/auth.ts';
import type { Route } from '../endpoint.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { noSessionCookie } from '../middleware/session.ts';
import { refusedOf } from './auth-pages.ts';
import { toldIn } from './messages/refusal-text.ts';
import { html, type PageRequest, page, redirect, type WebsiteDeps } from './page.ts';
import { forgotPage, mailboxPage, resetPage } from './pages/links.tsx';

/**
 * The address of the page holds a token, which no other host is told. Without any referrer a browser would not say either
 * where the form comes from (`Origin: null`), and it would be refused.
 */
const ownReferrer = { 'Referrer-Policy': 'same-origin' } as const;

/** Forgotten passwords and proofs of mailboxes: the page that asks for a link, and those that links open. */
export const linkPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/forgot', rateLimit: 'session' }, ({ context }) =>
    forgotPage(context, { ...forgotOf(deps), email: '', notice: null }),
  ),
  page(deps, { method: 'POST', path: '/forgot', rateLimit: 'session' }, (request) =>
    forgot(deps, request),
  ),
  page(
    deps,
    { method: 'GET', path: '/reset', rateLimit: 'session' },
    async ({ context, query }) => {
      const token = query.get('token') ?? '';
      const isGood = await deps.commands.isPasswordLink(token);
      const body = resetPage(context, { token: isGood ? token : null, wrong: null });
      return html(body, isGood ? 200 : 400, ownReferrer);
    },
  ),
  page(deps, { method: 'POST', path: '/reset', rateLimit: 'session' }, (request) =>
    reset(deps, request),
  ),
  page(
    deps,
    { method: 'GET', path: '/mailbox', rateLimit: 'session' },
    async ({ context, query }) => {
      const token = query.get('token') ?? '';
      const isGood = await deps.commands.isMailboxLink(token);
      const body = mailboxPage(context, isGood ? { kind: 'ask', token } : { kind: 'bad' });
      return html(body, isGood ? 200 : 400, ownReferrer);
    },
  ),
  page(deps, { method: 'POST', path: '/mailbox', rateLimit: 'session' }, (request) =>
    prove(deps, request),
  ),
];

/** The button proves it, not the opening of the page: programs that read mails open links. */
const prove = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  const token = (form.get('token') ?? '').slice(0, 200);
  try {
    await deps.commands.proveMailbox({ token, cause: requestOf(requestInfo) });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    return html(mailboxPage(context, { kind: 'bad' }), 400, ownReferrer);
  }
  return mailboxPage(context, { kind: 'proved' });
};

const forgotOf = ({ mail }: WebsiteDeps) => ({
  isMailing: mail.isSent,
  supportContact: mail.supportContact,
});

const forgot = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  const email = (form.get('email') ?? '').slice(0, 320);
  try {
    await deps.commands.requestPasswordReset({
      email,
      network: countedAddress(requestInfo.address),
      cause: requestOf(requestInfo),
    });
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
  const token = (form.get('token') ?? '').slice(0, 200);
  try {
    await deps.commands.resetPassword({
      token,
      password: form.get('password') ?? '',
      cause: requestOf(requestInfo),
    });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    const { fields, message } = refusedOf(context.words, error);
    const isBadLink = fields['token'] !== undefined;
    const view = isBadLink
      ? { token: null, wrong: null }
      : { token, wrong: fields['new_password'] ?? message };
    return html(resetPage(context, view), 400, ownReferrer);
  }
  return redirect('/login?told=password', { 'Set-Cookie': noSessionCookie(deps, requestInfo) });
};
