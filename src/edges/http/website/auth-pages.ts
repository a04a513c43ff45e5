import { Refusal } from '../../../kernel/refusal.ts';
import { requestOf } from '../account/auth.ts';
import { afterReset } from '../account/password-reset-endpoints.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { isTrapped } from '../middleware/honeypots.ts';
import type { HttpResponse } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { deviceCookie, noSessionCookie, originOf, sessionToken, signedInCookies } from '../middleware/session.ts';
import { html, type PageRequest, page, redirect, repeatable, type WebsiteDeps } from './page.ts';
import { forgotPage, loginPage, mailboxPage, type Refused, registerPage, resetPage } from './pages/auth.tsx';
import { fieldTexts, toldIn } from './refusal-text.ts';
import type { Words } from './words.ts';

/** Registration, signing in and out, forgotten passwords and proofs of mailboxes. */
export const authPages = (deps: WebsiteDeps): Route[] => [
  ...linkPages(deps),
  page(deps, { method: 'GET', path: '/login' }, ({ context, query, user }) => {
    const next = localPath(query.get('next'));
    if (user !== null) return redirect(next);
    const { auth, security } = context.words;
    const notices = new Map([
      ['registered', auth.registered],
      ['erased', security.erased],
      ['password', security.changed],
    ]);
    const notice = notices.get(query.get('told') ?? '') ?? null;
    return loginPage(context, { next, email: '', wrong: null, notice });
  }),
  page(deps, { method: 'POST', path: '/login', isOnce: repeatable }, (request) => signIn(deps, request)),
  page(deps, { method: 'POST', path: '/logout', isOnce: repeatable }, async ({ requestInfo }) => {
    const token = sessionToken(requestInfo);
    if (token !== null) {
      await deps.commands.logOut({
        token,
        origin: originOf(requestInfo),
        cause: requestOf(requestInfo),
      });
    }
    return redirect('/', { 'Set-Cookie': noSessionCookie(deps, requestInfo) });
  }),
  page(deps, { method: 'GET', path: '/register' }, (request) => form(deps, request, null)),
  page(
    deps,
    {
      method: 'POST',
      path: '/register',
      // The stored answer has no cookies: a repeat signs in by its password.
      again: (request) => signInRegistered(deps, request),
    },
    (request) => register(deps, request),
  ),
];

/** A path of this site, so that nobody is led elsewhere by a link to the login page. */
const localPath = (next: string | null): string =>
  next !== null && /^\/(?![/\\])/.test(next) && !/[\s\\]/.test(next) ? next : '/account';

const logInBy = ({ commands }: WebsiteDeps, requestInfo: PageRequest['requestInfo'], form: URLSearchParams) =>
  commands.logIn({
    email: (form.get('email') ?? '').slice(0, 1_000),
    password: form.get('password') ?? '',
    formerToken: sessionToken(requestInfo),
    deviceToken: deviceCookie.read(requestInfo),
    network: countedAddress(requestInfo.address),
    origin: originOf(requestInfo),
    cause: requestOf(requestInfo),
  });

const signIn = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  const email = form.get('email') ?? '';
  const next = localPath(form.get('next'));
  try {
    const signedIn = await logInBy(deps, requestInfo, form);
    return redirect(next, { 'Set-Cookie': signedInCookies(deps, requestInfo, signedIn) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const status = error.code === 'RATE_LIMITED' ? 429 : 401;
    const wrong = toldIn(context.words, error);
    return html(loginPage(context, { next, email, wrong, notice: null }), status);
  }
};

const form = (deps: WebsiteDeps, { context, form: typed }: PageRequest, refused: Refused | null): string => {
  const free = deps.queries.plans().plans.find(({ key }) => key === 'free');
  const { language } = context.words;
  return registerPage(context, {
    challenge: deps.commands.captchaChallenge(language === 'en-XA' ? 'en' : language),
    refused,
    typed: { email: typed.get('email') ?? '', name: typed.get('name') ?? '' },
    freeCredits: free?.includedCredits ?? 0,
  });
};

const register = async (deps: WebsiteDeps, request: PageRequest) => {
  const { form: fields, requestInfo } = request;
  const text = (name: string) => fields.get(name) ?? '';
  try {
    await deps.commands.register({
      email: text('email').slice(0, 320),
      password: text('password'),
      name: text('name').trim().slice(0, 100) || null,
      proof: {
        token: text('captcha_token').slice(0, 2_048),
        answer: text('captcha_answer').slice(0, 100),
        response: fields.get('captcha_response')?.slice(0, 4_096),
      },
      isTrapped: isTrapped(fields),
      network: countedAddress(requestInfo.address),
      origin: originOf(requestInfo),
      cause: requestOf(requestInfo),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return html(
      form(deps, request, refusedOf(request.context.words, error)),
      error.code === 'REGISTRATION_BLOCKED' ? 429 : 400,
    );
  }
  return signInRegistered(deps, request);
};

/** Signs in who just registered; whoever cannot be is led to the page to sign in on. */
const signInRegistered = async (
  deps: WebsiteDeps,
  { form: fields, requestInfo }: PageRequest,
): Promise<HttpResponse> => {
  try {
    const signedIn = await logInBy(deps, requestInfo, fields);
    return redirect('/account/keys', {
      'Set-Cookie': signedInCookies(deps, requestInfo, signedIn),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return redirect('/login?told=registered');
  }
};

/** A refusal with what it says of each field. */
const refusedOf = (words: Words, refusal: Refusal): Refused => {
  const message = toldIn(words, refusal);
  return {
    message,
    fields: refusal.code === 'CAPTCHA_FAILED' ? { captcha_answer: message } : fieldTexts(words, refusal),
  };
};

/**
 * The address of the page holds a token, which no other host is told. Without any referrer a browser would not say either
 * where the form comes from (`Origin: null`), and it would be refused.
 */
const ownReferrer = { 'Referrer-Policy': 'same-origin' } as const;

/** Forgotten passwords and proofs of mailboxes: the page that asks for a link, and those that links open. */
const linkPages = (deps: WebsiteDeps): Route[] => [
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
      deviceToken: deviceCookie.read(requestInfo),
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
    const { deviceToken } = await deps.commands.resetPassword({
      token,
      password: form.get('password') ?? '',
      network: countedAddress(requestInfo.address),
      cause: requestOf(requestInfo),
    });
    const cookies = afterReset(deps, requestInfo, deviceToken);
    return redirect('/login?told=password', { 'Set-Cookie': cookies });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    const { fields, message } = refusedOf(context.words, error);
    const isBadLink = fields['token'] !== undefined;
    const view = isBadLink ? { token: null, wrong: null } : { token, wrong: fields['new_password'] ?? message };
    return html(resetPage(context, view), 400, ownReferrer);
  }
};
