import { ownValue } from '../../../../kernel/own-value.ts';
import { usePage } from '../layout.tsx';
import type { Words } from '../words.ts';

/** What happened, in the language of the page, and the name of its event, by which auditors find it. */
export const EventName = ({
  type,
  href,
}: {
  readonly type: string;
  /** Where the words lead. */
  readonly href?: string;
}) => {
  const names: Readonly<Record<string, string>> = usePage().words.events;
  return (
    <>
      {href === undefined ? ownValue(names, type) : <a href={href}>{ownValue(names, type) ?? type}</a>}{' '}
      <code class="small quiet-text">{type}</code>
    </>
  );
};

/** An operation by the name that usage and the ledger count it under; that name where the page has no words for it. */
export const operationName = ({ operations }: Pick<Words, 'operations'>, kind: string): string => {
  const names: Readonly<Record<string, string>> = operations;
  return ownValue(names, kind) ?? kind;
};
