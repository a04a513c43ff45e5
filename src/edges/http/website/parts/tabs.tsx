import { operations } from '../../../../contract/operations.ts';
import { Tabs, usePage } from '../layout.tsx';
import { labelIn, languageQuery, type Words } from '../words.ts';

export type PageOperation = (typeof operations)[number];

/** The name of an operation on its tab: a verb where the page has one, else that of usage, else that of the contract. */
export const operationLabel = (words: Words, { name }: Pick<PageOperation, 'name'>): string =>
  labelIn(words.tabs.names, name) ??
  labelIn(words.operations, name) ??
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

type OperationTabsProps = {
  readonly videoId: string;
  readonly language: string | null;
  readonly current: PageOperation | null;
};

/** Links to the operations of one transcript; with scripts they open beside the transcript. */
export const OperationTabs = ({ videoId, language, current }: OperationTabsProps) => {
  const { words } = usePage();
  return (
    <Tabs
      label={words.tabs.label}
      panel="panel"
      links={operations.map((operation) => ({
        href: `/t/${videoId}/${operation.page}${languageQuery(language)}`,
        text: operationLabel(words, operation),
        isCurrent: operation === current,
      }))}
    />
  );
};
