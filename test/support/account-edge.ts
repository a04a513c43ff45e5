import type { AccountSettings } from '#src/accounts/account-parts.ts';
import type { Commands } from '#src/commands.ts';
import { creditStatus } from '#src/credits/credit-status.ts';
import { planOf, plans } from '#src/credits/plans/plans.ts';
import type { HttpSettings } from '#src/edges/http/settings.ts';
import type { Call } from '#src/kernel/call.ts';
import { newId } from '#src/kernel/ids.ts';
import type { KeyView, Queries } from '#src/queries.ts';
import { accountsOnPostgres, goodPassword, shippedSettings, solve } from '#test/support/accounts.ts';
import { readReceipt, startEdge, transcript } from '#test/support/http.ts';

/** Limits high enough for tests that register and sign in often. */
export const wideSettings: AccountSettings = {
  ...shippedSettings,
  registration: {
    perIpHour: 10_000,
    perIpDay: 10_000,
    perDomainHour: 10_000,
    perFreeMailDomainHour: 10_000,
    perMailboxDay: 10_000,
    perHour: 10_000,
    captchaFailuresPerIpHour: 10_000,
  },
};

const wideRates = { ip: 100_000, public: 100_000, session: 100_000, visitor: 100_000 };

/** A new, unused key with the fields of `more`. */
export const keyView = (more: Partial<KeyView>): KeyView => ({
  keyId: 'key_1',
  name: 'API key',
  prefix: 'stn_live_abcd',
  scopes: [],
  capCredits: null,
  capPeriod: 'period',
  warnAt: [],
  capUsed: null,
  expiresAt: null,
  rolledTo: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  creditsUsed: 0,
  ...more,
});

/** Fake key and usage commands and queries: the real ones have their own tests. */
const fakeApplication = (calls: { name: string; call: Call }[]) => {
  const kept = new Map<string, KeyView[]>();
  const made = (name: string) => keyView({ keyId: newId('key'), name });
  const create = (call: Call, name: string) => {
    calls.push({ name: 'createKey', call });
    const key = made(name);
    kept.set(call.accountId, [key, ...(kept.get(call.accountId) ?? [])]);
    return { keyId: key.keyId, prefix: key.prefix, fullKey: 'stn_live_CANARYKEY', key };
  };
  const commands: Partial<Commands> = {
    createKey: async (call, { name }) => create(call, name),
    rollKey: async (call) => create(call, 'API key'),
    revokeKey: async (call) => void calls.push({ name: 'revokeKey', call }),
    readTranscript: async (call) => {
      await call.allowance?.hold(1);
      calls.push({ name: 'readTranscript', call });
      return { ...readReceipt, transcript, text: null };
    },
    listLanguages: async (call) => {
      calls.push({ name: 'listLanguages', call });
      return {
        creditsCharged: 0,
        eventId: null,
        videoId: transcript.videoId,
        available: ['en'],
        defaultLanguage: 'en',
        hasCaptions: true,
        tracks: [],
      };
    },
  };
  const credits = creditStatus('free', 900, { isBillingConfigured: false });
  const queries: Partial<Queries> = {
    plans: () => ({ plans, maxKeys: 20, isBillingConfigured: false }),
    planOfAccount: async () => planOf('free'),
    keys: async (accountId) => kept.get(accountId) ?? [],
    grants: async () => [],
    accountOverview: async (accountId) => ({
      plan: planOf('free'),
      credits,
      isProvisional: false,
      keysActive: kept.get(accountId)?.length ?? 0,
      webhooksActive: 0,
    }),
    accountUsage: async () => ({
      plan: 'free',
      creditsRemaining: 900,
      creditsReserved: 0,
      limitPerMinute: 120,
      isUnlimited: false,
      periodDays: 30,
      requests: 2,
      successful: 2,
      failed: 0,
      creditsUsed: 2,
      byTag: [],
      byKind: [{ kind: 'transcript', count: 2, credits: 2 }],
      daily: [{ day: '2026-11-21', count: 2, credits: 2 }],
      credits,
      periodStart: '2026-11-21T00:00:00.000Z',
      periodEnd: '2026-12-21T00:00:00.000Z',
      byKey: [{ keyId: null, count: 2, credits: 2 }],
    }),
    accountEvents: async () => ({ events: [], nextBefore: null }),
    ledger: async () => ({ entries: [], nextBefore: null }),
  };
  return { commands, queries };
};

type RequestParts = { readonly body?: unknown; readonly headers?: Record<string, string> };

/** The HTTP server with real account commands on a new test database. */
export const startAccountEdge = async (
  given: { settings?: AccountSettings; http?: Partial<HttpSettings>; queries?: Partial<Queries> } = {},
) => {
  const accounts = await accountsOnPostgres({ settings: given.settings ?? wideSettings });
  const calls: { name: string; call: Call }[] = [];
  const application = fakeApplication(calls);
  const edge = await startEdge({
    commands: { ...accounts.commands, ...application.commands },
    queries: { ...application.queries, ...given.queries },
    settings: { limitsPerMinute: wideRates, ...given.http },
    clock: accounts.clock,
  });

  /** Sends one request; `body` as JSON, unless it is a string. */
  const send = (method: string, path: string, { body, headers }: RequestParts = {}): Promise<Response> =>
    fetch(edge.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  /** Gets a captcha and solves it. */
  const solved = async (): Promise<{ captcha_token: string; captcha_answer: string }> => {
    const { token, question } = (await (await send('GET', '/api/auth/captcha')).json()) as {
      token: string;
      question: string;
    };
    accounts.pass(2_000);
    return { captcha_token: token, captcha_answer: solve(question) };
  };

  const register = async (
    email: string,
    more: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    send('POST', '/api/auth/register', {
      body: { email, password: goodPassword, ...(await solved()), ...more },
      headers,
    });

  const logIn = (email: string, password = goodPassword, headers: Record<string, string> = {}): Promise<Response> =>
    send('POST', '/api/auth/login', { body: { email, password }, headers });

  /** Registers, signs in and returns the session cookie. */
  const signedIn = async (email = 'jo@example.org'): Promise<{ Cookie: string }> => {
    await register(email);
    return { Cookie: cookieIn(await logIn(email)) };
  };

  return {
    ...edge,
    accounts,
    calls,
    send,
    solved,
    register,
    logIn,
    signedIn,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]();
      await accounts[Symbol.asyncDispose]();
    },
  };
};

/** The session cookie of a response, as a browser sends it back. */
export const cookieIn = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
