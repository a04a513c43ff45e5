import { createJob, maxItemsPerJob, maxReferences } from '../../../../contract/jobs.ts';
import { recognitionPrice } from '../../../../contract/transcripts.ts';
import type { Refusal } from '../../../../kernel/refusal.ts';
import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { Field, Note, Once } from '../parts/form.tsx';
import { refusalText, toldIn } from '../refusal-text.ts';
import { fill, number, plural } from '../words.ts';

/** A line of a list, by its number in what was typed. */
export type Line = { readonly number: number; readonly text: string };

export type ManyView = {
  readonly links: string;
  readonly language: string;
  /** Null: speech recognition is not offered. */
  readonly recognizesSpeech: boolean | null;
  /** What the list comes to; null before it was counted. */
  readonly plan: {
    readonly videos: number | null;
    readonly credits: number;
    readonly duplicates: number;
    readonly invalid: readonly Line[];
    /** Beyond what one job holds. */
    readonly beyond: readonly Line[];
    /** What the platform refuses to list. The job would be without it. */
    readonly refused: readonly (Line & { readonly reference: string; readonly refusal: Refusal })[];
    /** Names the list that the price is of. */
    readonly listed: string;
  } | null;
  /** What keeps the list from being counted or started. */
  readonly wrong: 'tooMany' | Refusal | null;
  readonly needsSignIn: boolean;
};

/** A link a line; the price stands on the button before anything starts. */
export const manyPage = documentOf((view: ManyView) => {
  const { many, site, tabs, language } = usePage().words;
  const { plan } = view;
  return (
    <SectionPage title={site.many}>
      <p>{many.intro}</p>
      {view.wrong === null ? null : <Wrong wrong={view.wrong} />}
      {view.needsSignIn ? (
        <Note kind="warn">
          <p>{many.signIn}</p>
          <p>
            <a href="/login?next=/many" target="_blank" rel="noopener">
              {site.signIn}
            </a>{' '}
            <a href="/register" target="_blank" rel="noopener">
              {site.register}
            </a>
          </p>
        </Note>
      ) : null}
      {plan === null ? null : <Plan plan={plan} />}
      <form method="post" action="/many">
        <Once />
        {plan === null ? null : <input type="hidden" name="listed" value={plan.listed} />}
        {plan?.refused.map(({ reference }) => (
          <input type="hidden" name="without" value={reference} />
        ))}
        <x-lines data-counts={many.counts}>
          <label for="links">{many.field}</label>
          <textarea id="links" name="links" spellcheck={false} required rows={12}>
            {/* HTML drops the first line end of a field. An empty first line would be lost, and all numbers wrong. */}
            {`\n${view.links}`}
          </textarea>
          <p class="hint small">
            <output>{fill(many.hint, { limit: number(language, maxItemsPerJob) })}</output>
          </p>
        </x-lines>
        <Field id="lang" label={many.language} of={createJob.body} value={view.language} placeholder="en" />
        {view.recognizesSpeech === null ? null : (
          <label class="check field">
            <input type="checkbox" name="asr" value="auto" checked={view.recognizesSpeech} />
            {fill(many.speech, { price: plural(language, tabs.credits, recognitionPrice) })}
          </label>
        )}
        <div class="actions">
          {plan === null || plan.credits === 0 ? null : (
            <button type="submit" name="do" value="start">
              {fill(many.start, { price: plural(language, tabs.credits, plan.credits) })}
            </button>
          )}
          <button type="submit" name="do" value="count" class="quiet">
            {plan === null ? many.count : many.countAgain}
          </button>
        </div>
      </form>
    </SectionPage>
  );
});

const Plan = ({ plan }: { readonly plan: NonNullable<ManyView['plan']> }) => {
  const { many, language } = usePage().words;
  const leftOut = [
    { heading: many.refused, lines: plan.refused },
    { heading: many.invalid, lines: plan.invalid },
    { heading: many.beyond, lines: plan.beyond },
  ].filter(({ lines }) => lines.length > 0);
  return (
    <Note kind={leftOut.length === 0 ? 'ok' : 'warn'}>
      <p>
        {plan.videos === null ? many.unknown : plural(language, many.videos, plan.videos)}{' '}
        {plan.duplicates === 0 ? null : plural(language, many.duplicates, plan.duplicates)}
      </p>
      {leftOut.map(({ heading, lines }) => (
        <>
          <p>{plural(language, heading, lines.length)}</p>
          <ul>
            {lines.slice(0, 20).map((line) => (
              <LeftOut line={line} />
            ))}
          </ul>
        </>
      ))}
      {leftOut.length === 0 ? null : <p>{many.leftOut}</p>}
    </Note>
  );
};

const LeftOut = ({ line }: { readonly line: Line & { readonly refusal?: Refusal } }) => {
  const { words } = usePage();
  return (
    <li>
      {fill(words.many.line, { n: number(words.language, line.number) })} <code>{line.text.slice(0, 200)}</code>
      {line.refusal === undefined ? null : ` ${refusalText(words, line.refusal)}`}
    </li>
  );
};

/** What keeps the whole list from being counted or started. */
const Wrong = ({ wrong }: { readonly wrong: NonNullable<ManyView['wrong']> }) => {
  const context = usePage();
  const { many, errors, language } = context.words;
  if (wrong === 'tooMany') {
    return <Note kind="bad">{fill(many.tooMany, { limit: number(language, maxReferences) })}</Note>;
  }
  return (
    <Note kind="bad">
      {toldIn(context.words, wrong)}{' '}
      {wrong.code === 'INSUFFICIENT_CREDITS' ? <a href="/account/plans">{errors.credits}</a> : null}
    </Note>
  );
};
