import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { PostButton } from '../parts/form.tsx';
import { withPrice } from '../parts/price.ts';
import { fill } from '../words.ts';

type SpeechOffer = { readonly videoId: string; readonly price: number; readonly asr: string };

/** A video without captions whose speech can be recognized: the price stands on the button, nothing is charged before. */
export const noCaptionsPage = documentOf(({ videoId, price, asr }: SpeechOffer) => {
  const context = usePage();
  const address = `/t/${encodeURIComponent(videoId)}`;
  const { transcript: t, site, errors, refusals } = context.words;
  const action = withPrice(context.words, t.recognize, price);
  return (
    <SectionPage title={refusals.codes.TRANSCRIPT_NOT_AVAILABLE} isPrivate at="404">
      <p>{t.speechText}</p>
      {context.user === null ? (
        <>
          <p>{fill(t.speechAccount, { action })}</p>
          <div class="actions">
            <a class="button" href={`/login?next=${encodeURIComponent(address)}`}>
              {site.signIn}
            </a>
            <a href="/register">{site.register}</a>
          </div>
        </>
      ) : (
        <div class="actions">
          <PostButton action={address} kind="main" fields={{ asr }}>
            {action}
          </PostButton>
          <a href="/">{errors.home}</a>
        </div>
      )}
    </SectionPage>
  );
});
