import type { Mailer } from '../accounts/mail/mailer.ts';
import { sendAccountMail } from '../accounts/mail/send-account-mail.ts';
import { accountStore } from '../adapters/postgres/account-store-postgres.ts';
import type { SmtpMailer } from '../adapters/smtp/mail-smtp.ts';
import type { Config } from '../config.ts';
import { planOf } from '../credits/plans/plans.ts';
import type { WorkCommands } from '../edges/worker/work-commands.ts';
import { once } from '../kernel/memoize.ts';
import type { CoreParts } from './application-core.ts';
import { passwordKeysOf } from './open-accounts.ts';

/** The configured mail server; null without one. Its library is loaded with the first mail. */
export const openMailer = ({ mail: { smtpUrl: url, from } }: Pick<Config, 'mail'>) => {
  if (url === null) return null;
  const mailer = once(async () => (await import('../adapters/smtp/mail-smtp.ts')).smtpMailer({ url, from }));
  return {
    send: async (mail, options) => (await mailer()).send(mail, options),
    verify: async () => (await mailer()).verify(),
  } satisfies Mailer & Pick<SmtpMailer, 'verify'>;
};

/** The command by which the worker sends mails. */
export const openMail = (
  config: Pick<Config, 'mail'>,
  parts: Pick<CoreParts, 'pool' | 'secrets' | 'clock' | 'logger' | 'baseUrl' | 'queries'> &
    Pick<CoreParts, 'authorizationStore' | 'balanceOf'>,
): Pick<WorkCommands, 'sendMail'> => ({
  sendMail: sendAccountMail({
    ...parts,
    store: accountStore(parts.pool, passwordKeysOf(parts.secrets)),
    mailer: openMailer(config),
    nameOfKey: async (accountId, keyId) =>
      (await parts.queries.keys(accountId)).find((key) => key.keyId === keyId)?.name ?? null,
    nameOfApplication: async (accountId, authorizationId) => {
      const granted = await parts.authorizationStore.find(authorizationId);
      return granted?.accountId === accountId ? granted.clientName : null;
    },
    creditsOf: async (accountId) => {
      const { plan, remaining, closesAt } = await parts.balanceOf(accountId, { fresh: true });
      return { remaining, included: planOf(plan).includedCredits, renewsAt: new Date(closesAt) };
    },
  }),
});
