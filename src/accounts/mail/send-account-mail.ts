import { linkLifeMs } from '../../contract/sign-in.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newToken } from '../../kernel/ids.ts';
import { networkOf } from '../../kernel/ip-networks.ts';
import type { Logger } from '../../kernel/logger.ts';
import { linkUrl } from '../account-links.ts';
import type { AccountStore, LinkPurpose } from '../account-store.ts';
import { tokenHash } from '../sign-in/end-sessions.ts';
import * as texts from './mail-texts.ts';
import type { Mail, Mailer } from './mailer.ts';

/** A mail to the owner of an account. It names no address: that is looked up when it is sent. */
export type AccountMail = { readonly accountId: string } & (
  | { readonly kind: 'password_reset'; readonly requestedAt: string }
  | { readonly kind: 'mailbox_proof' }
  /** `requestId`: the sign-in. */
  | { readonly kind: 'new_place'; readonly requestId: string }
  | { readonly kind: 'new_key'; readonly keyId: string }
  | { readonly kind: 'low_credits' }
  /** `told`: what is spent, and of how much. */
  | { readonly kind: 'grant_budget'; readonly authorizationId: string; readonly told: string }
  | { readonly kind: 'budget'; readonly keyId: string; readonly told: string }
);

type Deps = {
  readonly store: Pick<AccountStore, 'find' | 'originsOf' | 'addLink'>;
  /** Null: nothing is mailed. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  readonly baseUrl: () => Promise<string>;
  readonly nameOfKey: (accountId: string, keyId: string) => Promise<string | null>;
  readonly nameOfApplication: (accountId: string, authorizationId: string) => Promise<string | null>;
  readonly creditsOf: (accountId: string) => Promise<texts.Credits>;
  readonly logger: Pick<Logger, 'warn'>;
};

/**
 * Sends a mail. Run again, it sends the same mail with a link of its own; a link that an earlier attempt stored stays
 * good. Nothing is sent to an account that is erased or suspended. Throws where a later attempt may succeed.
 */
export const sendAccountMail =
  (deps: Deps) =>
  async (
    mail: AccountMail & { readonly mailId: string },
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> => {
    const { mailer, store, logger } = deps;
    const { accountId, kind, mailId: id } = mail;
    const owner = await store.find(accountId);
    if (mailer === null || owner === null || owner.suspendedAt !== null) return;
    const text = await textOf(deps, mail, owner.mailboxProvedAt !== null);
    if (text === null) return;
    const outcome = await mailer.send({ id, to: owner.email, ...text }, { signal });
    if (outcome === 'refused') {
      logger.warn('the mail server refused a mail for good', { account_id: accountId, mail: kind });
    }
  };

/** Null: the mail is not needed, or not any more. */
const textOf = async (
  deps: Deps,
  mail: AccountMail,
  isProved: boolean,
): Promise<Pick<Mail, 'subject' | 'text'> | null> => {
  const { accountId } = mail;
  const baseUrl = await deps.baseUrl();
  switch (mail.kind) {
    case 'password_reset': {
      const ageMs = deps.clock().getTime() - Date.parse(mail.requestedAt);
      if (ageMs > linkLifeMs.password) return null;
      return texts.passwordResetText(await newLink(deps, accountId, 'password', baseUrl));
    }
    case 'mailbox_proof':
      if (isProved) return null;
      return texts.mailboxProofText(await newLink(deps, accountId, 'mailbox', baseUrl));
    case 'new_place': {
      const place = await newPlace(deps, accountId, mail.requestId);
      return place === null ? null : texts.newPlaceText(place, `${baseUrl}/account/security`);
    }
    case 'new_key': {
      const { keyId } = mail;
      const name = await deps.nameOfKey(accountId, keyId);
      return texts.newKeyText({ keyId, name }, `${baseUrl}/account/keys`);
    }
    case 'budget': {
      const { keyId, told } = mail;
      const name = await deps.nameOfKey(accountId, keyId);
      return texts.budgetText({ keyId, name, told }, `${baseUrl}/account/keys`);
    }
    case 'grant_budget': {
      const name = await deps.nameOfApplication(accountId, mail.authorizationId);
      return texts.grantBudgetText({ name, told: mail.told }, `${baseUrl}/account/grants`);
    }
    case 'low_credits':
      return texts.lowCreditsText(await deps.creditsOf(accountId), `${baseUrl}/account/plans`);
  }
};

const newLink = async (
  { store, clock }: Deps,
  accountId: string,
  purpose: LinkPurpose,
  baseUrl: string,
): Promise<string> => {
  const token = newToken();
  const expiresAt = new Date(clock().getTime() + linkLifeMs[purpose]);
  await store.addLink({ tokenSha256: tokenHash(token), accountId, purpose, expiresAt });
  return linkUrl(baseUrl, purpose, token);
};

/** Where a sign-in came from, null when the account was used from that network before, as far as that is kept. */
const newPlace = async ({ store }: Pick<Deps, 'store'>, accountId: string, requestId: string) => {
  const origins = await store.originsOf(accountId, null);
  const signIn = origins.find((origin) => origin.requestId === requestId);
  if (signIn === undefined) return null;
  const network = networkOf(signIn.ip);
  const isKnown = origins.some(({ at, ip }) => at.getTime() < signIn.at.getTime() && networkOf(ip) === network);
  return isKnown ? null : signIn;
};
