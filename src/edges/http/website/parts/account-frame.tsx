import type { ComponentChildren } from 'preact';
import { Document, Tabs, usePage } from '../layout.tsx';

const accountMenu = [
  ['/account', 'overview'],
  ['/account/keys', 'keys'],
  ['/account/grants', 'grants'],
  ['/account/usage', 'usage'],
  ['/account/ledger', 'ledger'],
  ['/account/follows', 'follows'],
  ['/account/library', 'library'],
  ['/account/webhooks', 'webhooks'],
  ['/account/plans', 'plans'],
  ['/account/security', 'security'],
] as const;

type AccountShell = {
  readonly title: string;
  /** The title is a long word that is looked up rather than read. */
  readonly isAddress?: boolean;
  readonly current: (typeof accountMenu)[number][1];
  readonly children: ComponentChildren;
};

/** A page of an account: its menu, a heading, and rows; without the menu for somebody who is not signed in. */
export const AccountPage = ({ title, current, children, isAddress = false }: AccountShell) => {
  const { words, user } = usePage();
  const { account, site } = words;
  const isSignedIn = user !== null;
  return (
    <Document title={title} isPrivate={isSignedIn}>
      <div class="section">
        {isSignedIn ? (
          <Tabs
            label={account.menu}
            links={accountMenu.map(([href, name]) => ({ href, text: account[name], isCurrent: name === current }))}
          >
            <li class="push">
              <form method="post" action="/logout">
                <button type="submit" class="plain">
                  {site.signOut}
                </button>
              </form>
            </li>
          </Tabs>
        ) : null}
        <h1 class={isAddress ? 'address' : undefined}>{title}</h1>
      </div>
      {children}
    </Document>
  );
};
