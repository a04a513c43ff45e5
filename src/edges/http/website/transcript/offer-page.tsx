import type { TranscriptOffer } from '../../../../commands.ts';
import { aboutFormat, type TranscriptFormat } from '../../../../contract/formats.ts';
import { documentOf, type PageContext, Row } from '../layout.tsx';
import { PostButton } from '../parts/form.tsx';
import { fill, plural } from '../words.ts';

/** Options that decide what is shown, and nothing of its price. */
const kept: readonly string[] = ['lang', 'captions', 'words', 'clean', 'timestamps', 'boxes', 'view'];

/** What a transcript costs, with a button: for whoever came by a link of another site. Nothing was charged. */
export const offerPage = (
  context: PageContext,
  view: Pick<TranscriptOffer, 'videoId' | 'title' | 'credits'> & {
    /** Null: a page. */
    readonly format: TranscriptFormat | null;
    readonly options: URLSearchParams;
  },
): string => {
  const { transcript: t, tabs, site, language } = context.words;
  const { format, videoId, credits } = view;
  const price = plural(language, tabs.credits, credits);
  const ending = format === null ? null : aboutFormat(format).extension;
  const fields = Object.fromEntries([...view.options].filter(([name]) => kept.includes(name)));
  const action = ending === null ? t.show : `${t.download} ${ending.toUpperCase()}`;
  return documentOf(context, {
    title: view.title ?? videoId,
    description: site.describe,
    language: null,
    children: (
      <div class="section">
        <Row>
          <h1 dir="auto">{view.title ?? videoId}</h1>
          <p>{fill(t.offer, { price })}</p>
          <div class="actions">
            <PostButton
              action={`/t/${videoId}${ending === null ? '' : `.${ending}`}`}
              kind="main"
              fields={{ ...fields, confirmed: 'true' }}
            >
              {fill(tabs.run, { action, price })}
            </PostButton>
          </div>
        </Row>
      </div>
    ),
  });
};
