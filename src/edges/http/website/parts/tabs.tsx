import { usePage } from '../layout.tsx';
import type { Words } from '../messages/language.ts';

/** The operations that a transcript page offers, in the order of their tabs. */
export const operationTabs = [
  'summary',
  'chapters',
  'ask',
  'search',
  'quotes',
  'clips',
  'repurpose',
  'translate',
] as const;
export type OperationTab = (typeof operationTabs)[number];

/** The names of the operations: those of usage, except where a verb is on the tab. */
export const tabNames = ({ operations, tabs }: Words): Readonly<Record<OperationTab, string>> => ({
  ...{ ...operations, summary: operations.summarize },
  ...tabs,
});

/** Links to the operations of one transcript; with scripts they open beside the transcript. */
export const OperationTabs = ({
  videoId,
  language,
  current,
}: {
  readonly videoId: string;
  readonly language: string | null;
  readonly current: OperationTab | null;
}) => {
  const { words } = usePage();
  const names = tabNames(words);
  const query = language === null ? '' : `?lang=${encodeURIComponent(language)}`;
  return (
    <nav aria-label={words.tabs.label}>
      <ul class="tabs" data-panel="panel">
        {operationTabs.map((tab) => (
          <li>
            <a
              href={`/t/${videoId}/${tab}${query}`}
              {...(tab === current ? { 'aria-current': 'page' as const } : {})}
            >
              {names[tab]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};
