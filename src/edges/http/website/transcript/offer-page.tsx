import { type TranscriptOffer, timestampOf } from '../../../../commands.ts';
import { aboutFormat, type TranscriptFormat } from '../../../../contract/formats.ts';
import { Document, documentOf, Section, usePage } from '../layout.tsx';
import { PostButton } from '../parts/form.tsx';
import { fill, plural } from '../words.ts';
import { quotation } from './transcript-page.tsx';

/** Options that decide what is shown, and nothing of its price. */
const kept: readonly string[] = ['lang', 'captions', 'words', 'clean', 'timestamps', 'boxes', 'view'];

type OfferView = Pick<TranscriptOffer, 'videoId' | 'title' | 'credits' | 'quoted'> & {
  /** Null: a page. */
  readonly format: TranscriptFormat | null;
  readonly options: URLSearchParams;
};

/** What a transcript costs, with a button: for whoever came by a link of another site. Nothing was charged. */
export const offerPage = documentOf((view: OfferView) => {
  const { transcript: t, tabs, site, language } = usePage().words;
  const { format, videoId, credits, quoted } = view;
  const title = view.title ?? videoId;
  const price = plural(language, tabs.credits, credits);
  const ending = format === null ? null : aboutFormat(format).extension;
  const fields = Object.fromEntries([...view.options].filter(([name]) => kept.includes(name)));
  const action = ending === null ? t.show : `${t.download} ${ending.toUpperCase()}`;
  return (
    <Document
      {...(quoted === null
        ? { title, description: site.describe }
        : quotation(title, quoted, view.options.get('lang')))}
      language={null}
    >
      <Section>
        <h1 dir="auto">{title}</h1>
        {quoted === null ? null : (
          <blockquote dir="auto">
            {timestampOf(quoted.second * 1_000)} {quoted.text}
          </blockquote>
        )}
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
      </Section>
    </Document>
  );
});
