import type { Clock } from '../kernel/clock.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { AccountStore, AccountWrites, Credential, LinkPurpose } from './account-store.ts';
import { invalidField } from './field-refusals.ts';
import { isToken } from './sign-in/authenticate-session.ts';
import { tokenHash } from './sign-in/end-sessions.ts';

const paths: Readonly<Record<LinkPurpose, string>> = { password: '/reset', mailbox: '/mailbox' };

/** The address of the page that a link opens. */
export const linkUrl = (baseUrl: string, purpose: LinkPurpose, token: string): string =>
  `${baseUrl}${paths[purpose]}?token=${token}`;

/** The same refusal for a link that is unknown, used or too old. */
export const badLink = (): Refusal =>
  invalidField('token', 'invalid_token', 'The link has been used, has expired or is incomplete.');

type LinkStore = Pick<AccountStore, 'find' | 'findLink'>;

/** The owner of a link that is valid at `now`; null for every other token. */
export const ownerOfLink = async (
  store: LinkStore,
  token: string,
  purpose: LinkPurpose,
  now: Date,
): Promise<Credential | null> => {
  const accountId = isToken(token) ? await store.findLink(tokenHash(token), purpose, now) : null;
  return accountId === null ? null : await store.find(accountId);
};

/** Whether a token is that of a good link. */
export const isGoodLink =
  ({ store, clock }: { readonly store: LinkStore; readonly clock: Clock }, purpose: LinkPurpose) =>
  async (token: string): Promise<boolean> =>
    (await ownerOfLink(store, token, purpose, clock())) !== null;

/** Uses a link up, and every other one of the account for the same. */
export const useLink = async (
  writes: AccountWrites,
  { token, accountId, purpose }: { token: string; accountId: string; purpose: LinkPurpose },
  now: Date,
): Promise<void> => {
  const link = { tokenSha256: tokenHash(token), accountId, purpose };
  if (!(await writes.useLink(link, now))) throw badLink();
  await writes.deleteLinks(accountId, purpose);
};
