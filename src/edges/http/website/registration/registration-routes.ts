import { registerAccount } from '../../../../contract/sign-in.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import { registrationIn } from '../../middleware/account-requests.ts';
import type { HttpResponse } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { signedInCookies } from '../../middleware/session.ts';
import { type PageRequest, page, redirect, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { planTexts } from '../parts/plan-texts.ts';
import { type FormRefusal, formRefusal } from '../refusal-text.ts';
import { logInBy } from '../sign-in/sign-in-routes.ts';
import { registerPage } from './registration-page.tsx';

/** The form of a registration. */
export const registrationRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/register' }, (request) => form(deps, request, null)),
  page(
    deps,
    {
      method: 'POST',
      path: '/register',
      // The stored answer has no cookies: a repeat signs in by its password.
      again: (request) => signInRegistered(deps, request),
      refused: (request, _, refusal) => form(deps, request, formRefusal(request.context.words, refusal)),
    },
    async (request) => {
      const { form: fields, requestInfo } = request;
      const body = bodyOf(registerAccount, { ...noText, ...Object.fromEntries(fields) });
      await deps.commands.register(registrationIn(requestInfo, body, fields));
      return signInRegistered(deps, request);
    },
  ),
];

const form = (deps: WebsiteDeps, { context, form: typed }: PageRequest, refused: FormRefusal | null): string => {
  const free = deps.queries.plans().plans.find(({ key }) => key === 'free');
  const { language } = context.words;
  return registerPage(context, {
    challenge: deps.commands.captchaChallenge(language === 'en-XA' ? 'en' : language),
    refused,
    typed: { email: typed.get('email') ?? '', name: typed.get('name') ?? '' },
    freePlan: free === undefined ? '' : planTexts(context.words, free).label,
    freeCredits: free?.includedCredits ?? 0,
  });
};

const noText = { email: '', password: '' };

/** Signs in who just registered; whoever cannot be is led to the page to sign in on. */
const signInRegistered = async (
  deps: WebsiteDeps,
  { form: fields, requestInfo }: PageRequest,
): Promise<HttpResponse> => {
  try {
    const signedIn = await logInBy(deps, requestInfo, fields);
    return redirect('/account/keys', { 'Set-Cookie': signedInCookies(deps, requestInfo, signedIn) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return redirect('/login?told=registered');
  }
};
