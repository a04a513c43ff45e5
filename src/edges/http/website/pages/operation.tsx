import type { ComponentChildren } from 'preact';
import { repurposeFormats, summaryLengths, translateModes } from '../../../../commands.ts';
import { supportedLanguages } from '../../../../kernel/languages.ts';
import { documentOf, type PageContext, Row, usePage } from '../layout.tsx';
import { fill, languageName, plural } from '../messages/language.ts';
import { Field, Note, Once, Submit } from '../parts/form.tsx';
import { type OperationTab, OperationTabs, tabNames } from '../parts/tabs.tsx';

/** One place in the video, as every result shows it. */
export type Place = {
  readonly start: number;
  readonly timestamp: string;
  readonly text: string;
};

/** What an operation made, in the parts that a page shows. */
export type OperationResult = {
  /** Running text: an answer, a summary, a post. */
  readonly text: string | null;
  /** The text may be copied as a whole. */
  readonly isDocument: boolean;
  readonly places: readonly (Place & {
    readonly title?: string;
    readonly endTimestamp?: string;
    readonly note?: string;
  })[];
  /** A sentence about the result: not in this video, not translated. */
  readonly notice: string | null;
  readonly madeBy: { readonly model: string | null; readonly isFallback: boolean } | null;
  readonly creditsCharged: number;
  readonly receiptUrl: string | null;
  /** Of the text and the places. */
  readonly language: string | null;
};

export type OperationView = {
  readonly tab: OperationTab;
  readonly videoId: string;
  readonly language: string | null;
  readonly price: number;
  /** No provider is configured: every result is an extract. */
  readonly isExtractOnly: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly result: OperationResult | null;
};

/** One operation on a transcript: its form with the price on the button, and its result with the receipt. */
export const operationPage = (context: PageContext, view: OperationView): string => {
  const { operations } = context.words;
  const { tab, videoId, language } = view;
  const name = tabNames(context.words)[tab];
  const query = language === null ? '' : `?lang=${encodeURIComponent(language)}`;
  return documentOf(context, {
    title: `${name}: ${videoId}`,
    isPrivate: true,
    children: (
      <div class="section">
        <Row>
          <p>
            <a href={`/t/${videoId}${query}`}>← {operations.transcript}</a>{' '}
            <code class="quiet-text">{videoId}</code>
          </p>
          <OperationTabs videoId={videoId} language={language} current={tab} />
        </Row>
        <div id="panel">
          <Row>
            <h1>{name}</h1>
            <OperationForm view={view} />
            {view.result === null ? null : <Result view={view} result={view.result} />}
          </Row>
        </div>
      </div>
    ),
  });
};

type Part = { readonly view: OperationView };

const OperationForm = ({ view }: Part) => {
  const context = usePage();
  const { tabs, language: ui } = context.words;
  const { tab, videoId, language, price, isExtractOnly } = view;
  return (
    <form method="post" action={`/t/${videoId}/${tab}`}>
      <Once />
      {language === null ? null : <input type="hidden" name="lang" value={language} />}
      <Options view={view} />
      <Submit>
        {fill(tabs.run, {
          action: tabNames(context.words)[tab],
          price: plural(ui, tabs.credits, price),
        })}
      </Submit>
      {isExtractOnly && tab !== 'search' && view.result === null ? (
        <p class="small quiet-text">{tabs.extract}</p>
      ) : null}
    </form>
  );
};

const Choice = ({
  name,
  label,
  value,
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}) => (
  <Field id={name} label={label}>
    <select id={name} name={name}>
      {options.map(([one, text]) => (
        <option value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);

const OutputLanguage = ({ fields }: { readonly fields: Readonly<Record<string, string>> }) => {
  const { tabs, language: ui } = usePage().words;
  const languages = supportedLanguages.map((code) => [code, languageName(ui, code)] as const);
  return (
    <Choice
      name="output_lang"
      label={tabs.outputLanguage}
      value={fields['output_lang'] ?? ''}
      options={[['', tabs.sameLanguage], ...languages]}
    />
  );
};

const Options = ({ view }: Part) => {
  const { tabs, usage, language: ui } = usePage().words;
  const { tab, fields, isExtractOnly } = view;
  const named = (code: string) => [code, languageName(ui, code)] as const;
  // Without a model nothing can be written in another language.
  const output = isExtractOnly ? null : <OutputLanguage fields={fields} />;
  switch (tab) {
    case 'summary':
      return (
        <>
          <Choice
            name="length"
            label={tabs.length}
            value={fields['length'] ?? 'medium'}
            options={summaryLengths.map((one) => [one, tabs.lengths[one]])}
          />
          {output}
        </>
      );
    case 'ask':
      return (
        <>
          <Field
            id="question"
            label={tabs.question}
            required
            maxlength={2_000}
            value={fields['question'] ?? ''}
          />
          {output}
        </>
      );
    case 'search':
      return (
        <Field
          id="query"
          label={tabs.query}
          type="search"
          required
          maxlength={500}
          value={fields['query'] ?? ''}
        />
      );
    case 'repurpose':
      return (
        <>
          <Choice
            name="format"
            label={tabs.format}
            value={fields['format'] ?? 'blog'}
            options={repurposeFormats.map((one) => [one, tabs.formats[one]])}
          />
          {output}
        </>
      );
    case 'translate':
      return (
        <>
          <Choice
            name="target_lang"
            label={tabs.target}
            value={fields['target_lang'] ?? ui}
            options={supportedLanguages.map(named)}
          />
          <Choice
            name="mode"
            label={usage.show}
            value={fields['mode'] ?? 'translated'}
            options={translateModes.map((one) => [one, tabs.modes[one]])}
          />
        </>
      );
    case 'chapters':
      return output;
    case 'quotes':
    case 'clips':
      return null;
  }
};

const Result = ({ view, result }: Part & { readonly result: OperationResult }) => {
  const { tabs, transcript, keys, language: ui } = usePage().words;
  const { text, places, notice, madeBy } = result;
  return (
    <div aria-live="polite">
      <MadeBy view={view} madeBy={madeBy} />
      {notice === null ? null : <Note kind="warn">{notice}</Note>}
      {text === null ? null : (
        <div
          id="result-text"
          dir="auto"
          {...(view.tab === 'summary' ? { 'data-locate': '' } : {})}
          {...(result.language === null ? {} : { lang: result.language })}
        >
          <Text text={text} isDocument={result.isDocument} />
        </div>
      )}
      {result.isDocument ? (
        <x-copy data-what="result-text" data-done={transcript.copied} hidden>
          <button type="button" class="quiet">
            {keys.copy}
          </button>
        </x-copy>
      ) : null}
      {text === null && places.length === 0 ? <p>{tabs.nothing}</p> : null}
      {view.tab === 'ask' && places.length > 0 ? <h2>{tabs.sources}</h2> : null}
      <Places view={view} result={result} />
      <p class="small quiet-text">
        {fill(tabs.charged, { credits: plural(ui, tabs.credits, result.creditsCharged) })}{' '}
        {result.receiptUrl === null ? null : <a href={result.receiptUrl}>{tabs.receipt}</a>}
      </p>
    </div>
  );
};

const MadeBy = ({ view, madeBy }: Part & { readonly madeBy: OperationResult['madeBy'] }) => {
  const { tabs } = usePage().words;
  if (madeBy === null) return null;
  return (
    <p class="small quiet-text">
      {madeBy.isFallback
        ? view.isExtractOnly
          ? tabs.extract
          : tabs.extractFailed
        : madeBy.model === null
          ? null
          : fill(tabs.model, { model: madeBy.model })}
    </p>
  );
};

/** Paragraphs of a text; a document keeps its lines as they are. */
const Text = ({ text, isDocument }: { readonly text: string; readonly isDocument: boolean }) => (
  <>
    {isDocument ? (
      <pre class="document">{text}</pre>
    ) : (
      text.split(/\n{2,}/).map((paragraph): ComponentChildren => <p>{paragraph}</p>)
    )}
  </>
);

/** Each passage with its time, which leads to the line in the transcript. */
const Places = ({
  view,
  result,
}: {
  readonly view: OperationView;
  readonly result: OperationResult;
}) => {
  const query = view.language === null ? '' : `?lang=${encodeURIComponent(view.language)}`;
  return (
    <ol class="places">
      {result.places.map((place) => (
        <li>
          <a
            class="time"
            data-second={Math.floor(place.start)}
            href={`/t/${view.videoId}${query}#t=${Math.floor(place.start)}`}
          >
            {place.timestamp}
            {place.endTimestamp === undefined ? '' : `–${place.endTimestamp}`}
          </a>{' '}
          {place.title === undefined ? null : <strong dir="auto">{place.title}</strong>}{' '}
          <span dir="auto" {...(result.language === null ? {} : { lang: result.language })}>
            {place.text}
          </span>
          {place.note === undefined ? null : <p class="small quiet-text">{place.note}</p>}
        </li>
      ))}
    </ol>
  );
};
