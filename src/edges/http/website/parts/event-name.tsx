import { usePage } from '../layout.tsx';
import { labelIn, type Words } from '../words.ts';

/** What happened, in the language of the page, and the name of its event, by which auditors find it. */
export const EventName = ({ type }: { readonly type: string }) => (
  <>
    {labelIn(usePage().words.events, type)} <code class="small quiet-text">{type}</code>
  </>
);

/** An operation by the name that usage and the ledger count it under; that name where the page has no words for it. */
export const operationName = ({ operations }: Pick<Words, 'operations'>, kind: string): string =>
  labelIn(operations, kind) ?? kind;
