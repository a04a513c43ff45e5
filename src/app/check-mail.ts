import type { Config } from '../config.ts';
import type { Check } from '../edges/cli/operator-interface.ts';
import { openMailer } from './open-mail.ts';

/** Checks that the configured mail server is reachable and accepts the credentials, without sending a mail. */
export const checkMail = async (config: Pick<Config, 'mail'>): Promise<Check> => {
  const name = 'mail';
  const mailer = openMailer(config);
  if (mailer === null) {
    return { name, status: 'ok', message: 'not configured: nothing is mailed', fix: null };
  }
  try {
    await mailer.verify();
    return { name, status: 'ok', message: 'the mail server lets this service in', fix: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the mail server ${reason}; mails wait until it can be used`;
    return { name, status: 'warning', message, fix: 'check SMTP_URL' };
  }
};
