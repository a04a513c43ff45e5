import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import * as field from '../contract/event-fields.ts';
import { longestEmail } from '../contract/sign-in.ts';
import { type EventOf, event } from '../eventlog/event-schema.ts';
import type { KeyRing } from '../kernel/key-ring.ts';

/** One stream per mailbox, named by an HMAC, so that the log holds no address. At most one event a day. */
export const streamOf = (mailboxHash: string): string => `mailbox-${mailboxHash}`;

export const mailboxEvents = {
  MailboxClaimed: event('The mailbox belongs to this account until one day after the account is erased.', {
    accountId: field.accountId,
    at: field.at,
  }),
};

export type MailboxClaimed = EventOf<typeof mailboxEvents>;

export type State = { readonly claimedBy: string | null };

export const initialState = (): State => ({ claimedBy: null });

export const evolve = (_state: State, { data }: MailboxClaimed): State => ({ claimedBy: data.accountId });

/** A parsed mail address. All four members are personal data and belong into no event or log line. */
export type Mailbox = {
  /** As typed; mail is sent to it. */
  readonly typed: string;
  /** The normalized address: unique among accounts. */
  readonly canonical: string;
  /** Coarser than `canonical`: a rate limit key, never an identity. */
  readonly limiterKey: string;
  /** In A-labels, lower case. */
  readonly domain: string;
};

const maxLocalLength = 64;
/** Dot-atom of RFC 5322 with the letters of RFC 6531; quoted local parts are refused. */
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const typedDomain = /^[\p{L}\p{M}\p{N}.-]+$/u;
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses an address; null for every other text, also one with spaces or line ends. */
export const parseMailbox = (typed: string): Mailbox | null => {
  if (typed.length > longestEmail || !typed.isWellFormed()) return null;
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, at).normalize('NFKC').toLowerCase();
  const domain = domainOf(typed.slice(at + 1));
  if (at < 1 || domain === null || at > maxLocalLength || !localPart.test(local)) return null;

  const { mailDomain, user } = mailboxBehind(local, domain);
  if (user === '') return null;
  const canonical = `${user}@${mailDomain}`;
  if (canonical.length > longestEmail) return null;
  return { typed, canonical, limiterKey: `${before(user, '+') || user}@${mailDomain}`, domain };
};

const domainOf = (typed: string): string | null => {
  if (!typedDomain.test(typed)) return null;
  const domain = domainToASCII(typed.normalize('NFKC').toLowerCase());
  const labels = domain.split('.');
  const top = labels.at(-1) ?? '';
  const isHost = labels.length > 1 && labels.every((part) => label.test(part));
  return isHost && /[a-z]/.test(top) ? domain : null;
};

const plusTagDomains =
  /^((outlook|hotmail|live)\.[a-z.]{2,7}|msn\.com|icloud\.com|me\.com|mac\.com|fastmail\.(com|fm)|proton\.me|protonmail\.(com|ch)|pm\.me)$/;
const yahooDomains = /^(yahoo\.[a-z.]{2,7}|ymail\.com|rocketmail\.com)$/;

/** Spellings that a provider delivers to one mailbox. */
const mailboxBehind = (local: string, domain: string): { mailDomain: string; user: string } => {
  if (domain === 'gmail.com' || domain === 'googlemail.com') {
    return { mailDomain: 'gmail.com', user: before(local, '+').replaceAll('.', '') };
  }
  if (plusTagDomains.test(domain)) return { mailDomain: domain, user: before(local, '+') };
  if (yahooDomains.test(domain)) return { mailDomain: domain, user: before(local, '-') };
  return { mailDomain: domain, user: local };
};

const before = (text: string, mark: string): string => {
  const at = text.indexOf(mark);
  return at === -1 ? text : text.slice(0, at);
};

/** The HMAC-SHA-256 (hex) of a mailbox for stream names and counters. Without the key, a guess cannot be tested. */
export const mailboxHash = (address: string, key: Uint8Array): string =>
  createHmac('sha256', key).update('mailbox\0').update(address).digest('hex');

/** The hashes of a mailbox under every key that rows may be made with, that of the current one first. */
export const mailboxHashes = (address: string, { all }: KeyRing): readonly string[] =>
  all.map(({ bytes }) => mailboxHash(address, bytes));

/** The address of a stored account as it is hashed. */
export const canonicalOf = (email: string): string => parseMailbox(email)?.canonical ?? email;

const largeFreeMail = new Set(
  `gmail.com googlemail.com outlook.com outlook.de outlook.fr hotmail.com hotmail.co.uk hotmail.fr hotmail.de live.com msn.com
  yahoo.com yahoo.co.uk yahoo.co.jp yahoo.co.in yahoo.fr yahoo.de ymail.com icloud.com me.com mac.com aol.com proton.me protonmail.com
  pm.me fastmail.com gmx.de gmx.net gmx.at gmx.ch gmx.com web.de t-online.de freenet.de mail.com mail.ru yandex.ru yandex.com
  qq.com 163.com 126.com sina.com naver.com daum.net hanmail.net orange.fr wanadoo.fr free.fr laposte.net libero.it virgilio.it
  uol.com.br bol.com.br terra.com.br wp.pl o2.pl onet.pl interia.pl seznam.cz zoho.com rediffmail.com comcast.net verizon.net att.net
  sbcglobal.net btinternet.com sky.com bigpond.com telenet.be ziggo.nl kpnmail.nl bluewin.ch rambler.ru bk.ru inbox.ru list.ru`
    .split(/\s+/)
    .filter((domain) => domain !== ''),
);

/** Large free mail providers, for which the limit per mail domain is higher. */
export const isLargeFreeMail = (domain: string): boolean => largeFreeMail.has(domain);

/** Whether a domain or one of its parents is listed. Both in A-labels, lower case. */
export const isDisposable = (domain: string, listed: ReadonlySet<string>): boolean => {
  const labels = domain.split('.');
  return labels.some((_, first) => listed.has(labels.slice(first).join('.')));
};
