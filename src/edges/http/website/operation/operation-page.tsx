import { renderTranscript, type Transcript, timestampOf } from '../../../../commands.ts';
import { aboutFormat, contentTypeOf, subtitleFormat } from '../../../../contract/formats.ts';
import { translationLanguages } from '../../../../contract/languages.ts';
import { fieldsOf, type InputField, type ResultView } from '../../../../contract/operation.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { Document, documentOf, type PageContext, Row, usePage } from '../layout.tsx';
import { Choice, Field, Note, Once, Submit } from '../parts/form.tsx';
import { priceOfLook, withPrice } from '../parts/price.ts';
import { OperationTabs, operationLabel, type PageOperation } from '../parts/tabs.tsx';
import { Heading, Lines, lineLink, Player, withLines } from '../transcript/transcript-page.tsx';
import { directionOf, fill, labelIn, languageName, languageQuery, plural } from '../words.ts';

/** What an operation made, and what it cost. */
export type OperationResult = {
  readonly shown: ResultView;
  /** It is not what was asked for: no model made it. */
  readonly isUnavailable: boolean;
  readonly model: string | null;
  readonly isFallback: boolean;
  readonly creditsCharged: number;
  readonly receiptUrl: string | null;
  /** Of the text and the places. */
  readonly language: string | null;
};

export type OperationView = {
  readonly operation: PageOperation;
  readonly videoId: string;
  readonly language: string | null;
  /** The kind of captions that was asked for; null: any. */
  readonly captions: string | null;
  readonly price: number;
  /** The transcript can be read again free of charge. */
  readonly isRead: boolean;
  /** What is shown beside the result; null: the reader has not paid for it. */
  readonly transcript: Transcript | null;
  /** No provider is configured: every result is an extract. */
  readonly isExtractOnly: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly result: OperationResult | null;
};

/** One operation on a transcript: its form with the price on the button, and its result with the receipt. */
export const operationPage = (context: PageContext, view: OperationView): readonly (string | Buffer)[] => {
  const page = documentAround(context, view);
  return view.transcript === null ? [page] : withLines(page, view.transcript);
};

const documentAround = documentOf((view: OperationView) => {
  const { words } = usePage();
  const { transcript } = view;
  const about = transcript?.title ?? view.videoId;
  return (
    <Document title={`${operationLabel(words, view.operation)}${words.site.colon}${about}`} isPrivate>
      {transcript === null ? <Alone view={view} /> : <Beside view={view} transcript={transcript} />}
    </Document>
  );
});

/** Where the transcript cannot be shown free of charge: the way to it, with its price. */
const Alone = ({ view }: Part) => {
  const { words } = usePage();
  const { operation, videoId, language } = view;
  return (
    <div class="section">
      <Row>
        <p>
          <a href={`/t/${videoId}${languageQuery(language)}`}>← {words.operations.transcript}</a>{' '}
          <span class="small quiet-text">{priceOfLook(words, view.isRead)}</span>{' '}
          <code class="quiet-text">{videoId}</code>
        </p>
        <OperationTabs videoId={videoId} language={language} current={operation} />
      </Row>
      <div id="panel">
        <Row>
          <Content view={view} />
        </Row>
      </div>
    </div>
  );
};

/** The form and the result beside the transcript, with its title, its player and its lines. */
const Beside = ({ view, transcript }: Part & { readonly transcript: Transcript }) => {
  const { words } = usePage();
  const { operation, videoId, language } = view;
  return (
    <>
      <Heading transcript={transcript} />
      <div class="with-side result-first">
        <div class="side section" id="side">
          <p>
            <a href={`/t/${videoId}${languageQuery(language)}`}>← {words.operations.transcript}</a>
          </p>
          <Player transcript={transcript} />
          <OperationTabs videoId={videoId} language={language} current={operation} />
          <div id="panel">
            <Content view={view} />
          </div>
        </div>
        <div class="section" dir={directionOf(transcript.language)}>
          <Lines transcript={transcript} hasTimes={true} />
        </div>
      </div>
    </>
  );
};

const Content = ({ view }: Part) => (
  <>
    <h1>{operationLabel(usePage().words, view.operation)}</h1>
    <OperationForm view={view} />
    {view.result === null ? null : <Result view={view} result={view.result} />}
  </>
);

type Part = { readonly view: OperationView };

const OperationForm = ({ view }: Part) => {
  const { words } = usePage();
  const { tabs } = words;
  const { operation, videoId, language, price, isExtractOnly } = view;
  return (
    <form method="post" action={`/t/${videoId}/${operation.page}`}>
      <Once />
      {language === null ? null : <input type="hidden" name="lang" value={language} />}
      {view.captions === null ? null : <input type="hidden" name="captions" value={view.captions} />}
      {fieldsOf(operation).map((field) => (
        <Input view={view} field={field} />
      ))}
      <Submit>{withPrice(words, operationLabel(words, operation), price)}</Submit>
      {isExtractOnly && operation.hasFallback && view.result === null ? (
        <p class="small quiet-text">{labelIn(tabs.withoutModel, operation.name) ?? tabs.extract}</p>
      ) : null}
    </form>
  );
};

type FieldTexts = { readonly label: string; readonly options?: Readonly<Record<string, string>> };

/** A field of the form. Counts keep their defaults: a page shows what fits on it. */
const Input = ({ view, field }: Part & { readonly field: InputField }) => {
  const { tabs, language: ui } = usePage().words;
  const { name, isRequired } = field;
  // The words of the page, else those of the contract.
  const texts = ownValue<FieldTexts>(tabs.fields, name);
  const label = texts?.label ?? field.description;
  const value = view.fields[name];
  switch (field.kind) {
    case 'count':
      return null;
    case 'text':
      return <Field id={name} label={label} required={isRequired} maxlength={field.maxLength} value={value ?? ''} />;
    case 'choice': {
      const options = field.options.map((one) => [one, ownValue(texts?.options ?? {}, one) ?? one] as const);
      return <Choice id={name} label={label} value={value ?? field.fallback} options={options} />;
    }
    case 'language': {
      // Without a model nothing can be written in another language.
      if (!isRequired && view.isExtractOnly) return null;
      const languages = translationLanguages.map((code) => [code, languageName(ui, code)] as const);
      const options = isRequired ? languages : [['', tabs.sameLanguage] as const, ...languages];
      const fallback = isRequired ? ui : '';
      return <Choice id={name} label={label} value={value ?? fallback} options={options} />;
    }
  }
};

const Result = ({ view, result }: Part & { readonly result: OperationResult }) => {
  const { tabs, transcript, keys, language: ui } = usePage().words;
  const { text = null, isDocument = false, isNegative = false, places = [] } = result.shown;
  const unavailable = labelIn(tabs.warnings, view.operation.name) ?? tabs.captionLanguage;
  const isWithPlaces = places.length > 0;
  return (
    <div aria-live="polite">
      <MadeBy view={view} result={result} />
      {isNegative ? <Note kind="warn">{text}</Note> : null}
      {result.isUnavailable ? <Note kind="warn">{unavailable}</Note> : null}
      {text === null || isNegative ? null : (
        <div
          id="result-text"
          dir="auto"
          data-locate={isDocument || isWithPlaces ? undefined : ''}
          lang={result.language ?? undefined}
        >
          {isDocument ? (
            <pre class="document">{text}</pre>
          ) : (
            text.split(/\n{2,}/).map((paragraph) => <p>{paragraph}</p>)
          )}
        </div>
      )}
      {isDocument ? (
        <x-copy data-what="result-text" data-done={transcript.copied} hidden>
          <button type="button" class="quiet">
            {keys.copy}
          </button>
        </x-copy>
      ) : null}
      {(text === null || isNegative) && !isWithPlaces ? <p>{tabs.nothing}</p> : null}
      {text !== null && isWithPlaces ? <h2>{tabs.sources}</h2> : null}
      <Places view={view} result={result} />
      <Subtitles view={view} result={result} />
      <p class="small quiet-text">
        {fill(tabs.charged, { credits: plural(ui, tabs.credits, result.creditsCharged) })}{' '}
        {result.receiptUrl === null ? null : <a href={result.receiptUrl}>{tabs.receipt}</a>}
      </p>
    </div>
  );
};

const MadeBy = ({ view, result }: Part & { readonly result: OperationResult }) => {
  const { tabs } = usePage().words;
  const { model, isFallback } = result;
  if (!view.operation.hasFallback) return null;
  const extract = view.isExtractOnly ? tabs.extract : tabs.extractFailed;
  const made = model === null ? null : fill(tabs.model, { model });
  return <p class="small quiet-text">{isFallback ? extract : made}</p>;
};

/** Each passage with its time, which leads to the line in the transcript. */
const Places = ({ view, result }: { readonly view: OperationView; readonly result: OperationResult }) => {
  const { words } = usePage();
  const { places = [] } = result.shown;
  return (
    <>
      {view.isRead || places.length === 0 ? null : (
        <p class="small quiet-text">{fill(words.transcript.timesCost, { price: priceOfLook(words, false) })}</p>
      )}
      <ol class="places">
        {places.map((place) => (
          <li>
            <a
              class="time"
              data-second={Math.floor(place.start)}
              href={
                view.transcript === null
                  ? `/t/${view.videoId}${languageQuery(view.language)}#t=${Math.floor(place.start)}`
                  : lineLink(view.transcript.cues, place.start)
              }
            >
              {timestampOf(place.start * 1_000)}
              {place.until === undefined ? '' : `–${timestampOf(place.until * 1_000)}`}
            </a>{' '}
            {place.title === undefined ? null : <strong dir="auto">{place.title}</strong>}{' '}
            <PlaceText text={place.text ?? ''} view={view} result={result} />
            {place.note === undefined ? null : <p class="small quiet-text">{place.note}</p>}
          </li>
        ))}
      </ol>
    </>
  );
};

type PlaceTextProps = { readonly text: string; readonly view: OperationView; readonly result: OperationResult };

/** The text of a place; a line in both languages in two columns, or one below the other where they have no room. */
const PlaceText = ({ text, view, result }: PlaceTextProps) => {
  const end = text.lastIndexOf('\n');
  if (view.fields['mode'] !== 'bilingual' || end === -1) {
    return (
      <span dir="auto" lang={result.language ?? undefined}>
        {text}
      </span>
    );
  }
  return (
    <span class="both">
      <span dir="auto" lang={view.language ?? undefined}>
        {text.slice(0, end)}
      </span>
      <span dir="auto" lang={view.fields['target_lang']}>
        {text.slice(end + 1)}
      </span>
    </span>
  );
};

/** Translated lines as a file, which is in the page itself: nothing is asked for again, and nothing kept for it. */
const Subtitles = ({ view, result }: Part & { readonly result: OperationResult }) => {
  const { captions } = result.shown;
  if (captions === undefined || result.isUnavailable || result.isFallback) return null;
  const transcript: Transcript = {
    ...{ videoId: view.videoId, url: '', language: result.language, requestedLanguage: null, source: 'translated' },
    ...{ title: null, channel: null, channelId: null, durationS: null },
    cues: captions.map(({ text, start, duration }) => ({
      ...{ text, startMs: Math.round(start * 1_000), endMs: Math.round((start + duration) * 1_000) },
    })),
  };
  const text = renderTranscript(transcript, { format: subtitleFormat, timestamps: false });
  const { extension } = aboutFormat(subtitleFormat);
  return (
    <p>
      <a
        href={`data:${contentTypeOf(subtitleFormat).replace(' ', '')};base64,${Buffer.from(text).toString('base64')}`}
        download={`${view.videoId}.${view.fields['target_lang']}.${extension}`}
      >
        {usePage().words.transcript.download} {extension.toUpperCase()}
      </a>
    </p>
  );
};
