import { createTransport } from 'nodemailer';
import type { Mailer } from '../../accounts/mail/mailer.ts';
import { isLoopback } from '../../kernel/ip-networks.ts';

const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;

export type SmtpMailer = Mailer & {
  /** Connects, says hello and signs in. Throws where that fails. */
  verify(): Promise<void>;
};

/**
 * Sends by SMTP, a connection for each mail. `smtps:` is TLS from the start; `smtp:` goes over to TLS where the server
 * offers it, and refuses to send a password to another machine without. On this machine it does not: relays there offer it
 * with certificates that nobody vouches for.
 */
export const smtpMailer = ({ url, from }: { readonly url: string; readonly from: string }): SmtpMailer => {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    ignoreTLS: isLoopback(hostname),
    requireTLS: !isSecure && username !== '' && !isLoopback(hostname),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return {
    send: async ({ id, to, subject, text }, { signal }) => {
      const messageId = `<${id}@${domain}>`;
      // No vacation notice answers it (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      // One object for one recipient: an address is never read as a list of them.
      const recipient = { name: '', address: to };
      try {
        await transport.sendMail({ from, to: recipient, subject, text, messageId, headers, signal });
        return 'sent';
      } catch (error) {
        if (isRefusedForGood(error)) return 'refused';
        throw new Error(`the mail server ${reasonOf(error)}`);
      }
    },
    verify: async () => {
      try {
        await transport.verify();
      } catch (error) {
        throw new Error(reasonOf(error));
      }
    },
  };
};

type SmtpError = { code?: unknown; command?: unknown; responseCode?: unknown };

/** The recipient or the text is refused, not the sender or the sign-in: those an operator mends. */
const isRefusedForGood = (error: unknown): boolean => {
  const { command, responseCode } = error as SmtpError;
  return (command === 'RCPT TO' || command === 'DATA') && typeof responseCode === 'number' && responseCode >= 500;
};

/** Without the words of the server, which repeat addresses. */
const reasonOf = (error: unknown): string => {
  const { code, command, responseCode } = error as SmtpError;
  if (typeof responseCode === 'number') return `answered ${responseCode} to ${String(command)}`;
  return `cannot be used: ${String(code ?? 'unknown')}${command === undefined ? '' : ` (${String(command)})`}`;
};
