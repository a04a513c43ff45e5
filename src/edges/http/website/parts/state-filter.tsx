import { usePage } from '../layout.tsx';
import { addressWith } from './sorting.ts';

/** Which of these states an address filters by, `?status=`; null: by none. */
export const stateIn = <State extends string>(
  query: URLSearchParams,
  states: Readonly<Record<State, string>>,
): State | null => {
  const wanted = query.get('status') ?? '';
  return Object.hasOwn(states, wanted) ? (wanted as State) : null;
};

/** A line of links above a table: every state, or one. `address`: of the list as it is. */
export const StateFilter = ({
  address,
  label,
  states,
  current,
}: {
  readonly address: string;
  readonly label: string;
  /** The words of each. */
  readonly states: Readonly<Record<string, string>>;
  readonly current: string | null;
}) => {
  const link = (href: string, text: string, isCurrent: boolean) => (
    <li>
      <a href={href} {...(isCurrent ? { 'aria-current': 'page' as const } : {})}>
        {text}
      </a>
    </li>
  );
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {link(addressWith(address, { status: null }), usePage().words.account.all, current === null)}
        {Object.entries(states).map(([state, text]) =>
          link(addressWith(address, { status: state }), text, state === current),
        )}
      </ul>
    </nav>
  );
};
