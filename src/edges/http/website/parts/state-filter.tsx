import { Tabs, usePage } from '../layout.tsx';
import { addressWith } from './sorting.ts';

/** Which of these states an address filters by, `?status=`; null: by none. */
export const stateIn = <State extends string>(
  query: URLSearchParams,
  states: Readonly<Record<State, string>>,
): State | null => {
  const wanted = query.get('status') ?? '';
  return Object.hasOwn(states, wanted) ? (wanted as State) : null;
};

type StateFilterProps = {
  readonly address: string;
  readonly label: string;
  /** The words of each. */
  readonly states: Readonly<Record<string, string>>;
  readonly current: string | null;
};

/** A line of links above a table: every state, or one. `address`: of the list as it is. */
export const StateFilter = ({ address, label, states, current }: StateFilterProps) => {
  const link = (status: string | null, text: string) => ({
    ...{ href: addressWith(address, { status }), text, isCurrent: status === current },
  });
  const links = Object.entries(states).map(([state, text]) => link(state, text));
  return <Tabs label={label} links={[link(null, usePage().words.account.all), ...links]} />;
};
