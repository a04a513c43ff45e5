import { Refusal } from '../../../kernel/refusal.ts';
import { requestOf } from '../account/auth.ts';
import type { Route } from '../endpoint.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { noSessionCookie, originOf, sessionCookie, sessionToken } from '../middleware/session.ts';
import type { Words } from './messages/language.ts';
import { fieldTexts, toldIn } from './messages/refusal-text.ts';
import { html, type PageRequest, page, redirect, type WebsiteDeps } from './page.ts';
import { loginPage, type Refused, registerPage } from './pages/auth.tsx';

/** Registration, signing in and out. */
export const authPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/login' }, ({ context, query, user }) => {
    const next = localPath(query.get('next'));
    if (user !== null) return redirect(next);
    const { auth, security } = context.words;
    const notices = { registered: auth.registered, erased: security.erased } as const;
    const told = query.get('told');
    return loginPage(context, {
      next,
      email: '',
      wrong: null,
      notice:
        told === 'registered' || told === 'erased'
          ? notices[told]
          : told === 'password'
            ? security.changed
            : null,
    });
  }),
  page(deps, { method: 'POST', path: '/login' }, (request) => signIn(deps, request)),
  page(deps, { method: 'POST', path: '/logout' }, async ({ requestInfo }) => {
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
  page(deps, { method: 'POST', path: '/register' }, (request) => register(deps, request)),
];

/** A path of this site, so that nobody is led elsewhere by a link to the login page. */
const localPath = (next: string | null): string =>
  next !== null && /^\/(?![/\\])/.test(next) && !/[\s\\]/.test(next) ? next : '/account';

const signIn = async (deps: WebsiteDeps, { context, form, requestInfo }: PageRequest) => {
  const email = form.get('email') ?? '';
  const next = localPath(form.get('next'));
  try {
    const { token, session } = await deps.commands.logIn({
      email: email.slice(0, 1_000),
      password: form.get('password') ?? '',
      formerToken: sessionToken(requestInfo),
      network: countedAddress(requestInfo.address),
      origin: originOf(requestInfo),
      cause: requestOf(requestInfo),
    });
    const { idleEndsAt } = session;
    return redirect(next, {
      'Set-Cookie': sessionCookie(deps, requestInfo, { token, idleEndsAt }),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const status = error.code === 'RATE_LIMITED' ? 429 : 401;
    const wrong = toldIn(context.words, error);
    return html(loginPage(context, { next, email, wrong, notice: null }), status);
  }
};

const form = (
  deps: WebsiteDeps,
  { context, form: typed }: PageRequest,
  refused: Refused | null,
): string => {
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
      isTrapped: text('website') !== '' || text('company') !== '',
      network: countedAddress(requestInfo.address),
      origin: originOf(requestInfo),
      cause: requestOf(requestInfo),
    });
    return redirect('/login?told=registered');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return html(
      form(deps, request, refusedOf(request.context.words, error)),
      error.code === 'REGISTRATION_BLOCKED' ? 429 : 400,
    );
  }
};

/** A refusal with what it says of each field. */
export const refusedOf = (words: Words, refusal: Refusal): Refused => {
  const message = toldIn(words, refusal);
  return {
    message,
    fields:
      refusal.code === 'CAPTCHA_FAILED' ? { captcha_answer: message } : fieldTexts(words, refusal),
  };
};
