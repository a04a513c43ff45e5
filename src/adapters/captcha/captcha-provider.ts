import { type Captcha, captchaFailed } from '../../accounts/registration/captcha.ts';
import { newUuid } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusal.ts';

export type CaptchaProviderName = 'turnstile' | 'hcaptcha';

export type CaptchaProviderSettings = {
  readonly provider: CaptchaProviderName;
  readonly siteKey: string;
  readonly secret: string;
  /** The host of the page that shows the widget; a proof from another page does not count. */
  readonly hostname: string;
  /** URL of the verification, if not the provider's. */
  readonly verifyUrl?: string;
  readonly timeoutMs?: number;
};

/** The action that the widget on the registration page is set up with (Turnstile; hCaptcha has none). */
const captchaAction = 'register';

const verifyUrls: Readonly<Record<CaptchaProviderName, string>> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};

const defaultTimeoutMs = 5_000;
const maxResponseLength = 4_096;
const maxVerdictLength = 16_384;
const retryAfterS = 30;
/** Error codes that are not the visitor's fault. */
const notTheVisitor =
  /^(missing-input-secret|invalid-input-secret|sitekey-secret-mismatch|internal-error|bad-request)$/;

/** The captcha of a provider. It fails closed: when the provider does not answer within its time, nobody registers. */
export const captchaProvider = (settings: CaptchaProviderSettings): Captcha => ({
  challenge: () => ({ kind: 'provider', provider: settings.provider, siteKey: settings.siteKey }),
  prove: async ({ response, ip }) => {
    if (response === undefined || response === '' || response.length > maxResponseLength) {
      throw captchaFailed();
    }
    const verdict = await ask(settings, response, ip);
    if (!isProof(verdict, settings)) throw captchaFailed();
  },
});

type Verdict = Readonly<Record<string, unknown>>;

const ask = async (settings: CaptchaProviderSettings, response: string, ip: string): Promise<Verdict> => {
  const { provider, secret, siteKey, timeoutMs = defaultTimeoutMs } = settings;
  const asked: Record<string, string> = {
    ...{ secret, response, remoteip: ip },
    ...(provider === 'hcaptcha' ? { sitekey: siteKey } : { idempotency_key: newUuid() }),
  };
  let verdict: Verdict;
  try {
    const answer = await fetch(settings.verifyUrl ?? verifyUrls[provider], {
      method: 'POST',
      body: new URLSearchParams(asked),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    verdict = await readVerdict(answer);
  } catch (cause) {
    throw unavailable(cause);
  }
  const codes = verdict['error-codes'];
  if (Array.isArray(codes) && codes.some((code) => notTheVisitor.test(String(code)))) {
    throw unavailable(new Error(`the provider says ${codes.map(String).join(', ').slice(0, 200)}`));
  }
  return verdict;
};

const readVerdict = async (answer: Response): Promise<Verdict> => {
  let text = '';
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > maxVerdictLength) throw new Error('the verdict on the captcha is too long');
  }
  // Providers answer a bad proof with 200 or 400, and with JSON in both cases.
  const verdict: unknown = JSON.parse(text);
  if (typeof verdict !== 'object' || verdict === null || !('success' in verdict)) {
    throw new Error(`the captcha provider answered ${answer.status} without a verdict`);
  }
  return { ...verdict };
};

const isProof = (verdict: Verdict, { provider, hostname }: CaptchaProviderSettings): boolean => {
  if (verdict['success'] !== true) return false;
  const from = verdict['hostname'];
  if (provider === 'turnstile') return from === hostname && verdict['action'] === captchaAction;
  // hCaptcha names the host only where its owner's plan has it.
  return typeof from !== 'string' || from === hostname || from === 'not-provided';
};

const unavailable = (cause: unknown): Refusal => {
  const message = 'Registration is currently not possible. Please try again in a minute.';
  const refusal = new Refusal('SERVICE_UNAVAILABLE', message, null, retryAfterS);
  refusal.cause = cause;
  return refusal;
};
