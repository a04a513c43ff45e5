import { Refusal } from '../../../../kernel/refusal.ts';
import { personalDataFile } from '../../middleware/account-answers.ts';
import type { Route } from '../../middleware/route.ts';
import { noSessionCookie, signedInBy } from '../../middleware/session.ts';
import { beforeIn, own, redirect, repeatable, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { confirmedForm, type Question, questionPage } from '../parts/question.tsx';
import { deviceName } from './device-name.ts';
import { securityPage } from './security-page.tsx';

const pageSize = 50;

/** Only the password was typed here: nothing else can be wrong with the credentials. */
const wrongIn = ({ context: { words } }: UserRequest, text: string, { code }: Refusal): string =>
  code === 'INVALID_CREDENTIALS' ? words.refusals.fields['password.wrong'] : text;

/** After a form that ends the session: the page to sign in on says what was done. */
const signedOut = (deps: WebsiteDeps, { requestInfo }: UserRequest, told: string) =>
  redirect(`/login?told=${told}`, { 'Set-Cookie': noSessionCookie(deps, requestInfo) });

const aboutSession = async ({ commands }: WebsiteDeps, { context, query, user }: UserRequest): Promise<Question> => {
  const { questions, security: words } = context.words;
  const sessions = await commands.openSessions(user.accountId);
  const session = sessions.find(({ sessionId }) => sessionId === query.get('id'));
  if (session === undefined) throw new Refusal('NOT_FOUND', 'This account has no such session.');
  return {
    ...questions.endSession,
    named: `${deviceName(words, session.userAgent)} · ${session.ip}`,
    button: words.end,
    back: '/account/security',
    hidden: { id: session.sessionId },
  };
};

const aboutErasure = async (
  { commands }: WebsiteDeps,
  { context, user }: UserRequest,
  wrong: string | null,
): Promise<Question> => {
  const { security: words } = context.words;
  return {
    title: words.erase,
    named: (await commands.profile(user.accountId)).email,
    text: words.eraseText,
    button: words.eraseButton,
    back: '/account/security',
    needsPassword: true,
    wrong,
  };
};

/** Password, sessions, a copy of the data, erasure and history. */
export const securityRoutes = (deps: WebsiteDeps): Route[] => {
  const shown = async (request: UserRequest, wrong: string | null): Promise<string> => {
    const { context, query, user, requestInfo } = request;
    const [sessions, current, { events, nextBefore }] = await Promise.all([
      deps.commands.openSessions(user.accountId),
      signedInBy(deps, requestInfo),
      deps.queries.accountEvents(user.accountId, { limit: pageSize, before: beforeIn(query) }),
    ]);
    const requestIds = events.flatMap(({ requestId }) => requestId ?? []);
    const origins = await deps.commands.originsOf(user.accountId, requestIds);
    const ips = new Map(origins.map((origin) => [origin.requestId, origin.ip]));
    const currentId = current?.sessionId;
    return securityPage(context, { sessions, currentId, history: events, ips, nextBefore, wrong });
  };
  return [
    userPage(deps, { method: 'GET', path: '/account/security' }, (request) => shown(request, null)),
    ...confirmedForm(deps, '/account/security/sessions', {
      ask: (request) => aboutSession(deps, request),
      work: async (request) => {
        const { accountId } = request.user;
        const sessionId = request.form.get('id') ?? '';
        await deps.commands.revokeSession({ accountId, sessionId, cause: request.call });
        return redirect('/account/security');
      },
    }),
    userPage(
      deps,
      {
        ...{ method: 'POST', path: '/account/security/password' },
        refused: (request, text, refusal) => shown(request, wrongIn(request, text, refusal)),
      },
      async (request) => {
        const { form } = request;
        const [current, next] = [form.get('current') ?? '', form.get('next') ?? ''];
        await deps.commands.replacePassword({ ...own(request), current, next });
        return signedOut(deps, request, 'password');
      },
    ),
    ...confirmedForm(deps, '/account/security/erase', {
      ask: (request) => aboutErasure(deps, request, null),
      work: async (request) => {
        const password = request.form.get('password') ?? '';
        await deps.commands.eraseAccount({ ...own(request), password });
        return signedOut(deps, request, 'erased');
      },
      refused: async (request, text, refusal) => {
        const wrong = wrongIn(request, text, refusal);
        return questionPage(request.context, await aboutErasure(deps, request, wrong));
      },
    }),
    userPage(deps, { method: 'POST', path: '/account/security/export', isOnce: repeatable }, ({ call }) =>
      personalDataFile(deps, call),
    ),
  ];
};
