import { transcriptPrice } from '../../../../contract/transcripts.ts';
import { fill, plural, type Words } from '../words.ts';

/** What a link to a transcript charges. */
export const priceOfLook = ({ transcript, tabs, language }: Words, isPaid: boolean): string =>
  isPaid ? transcript.readToday : plural(language, tabs.credits, transcriptPrice);

/** The same where it is not known whether the reader has paid for it. */
export const priceUnlessRead = ({ transcript, tabs, language }: Words): string =>
  fill(transcript.unlessRead, { price: plural(language, tabs.credits, transcriptPrice) });

/** What a button does, with its price. */
export const withPrice = ({ tabs, language }: Words, action: string, credits: number): string =>
  fill(tabs.run, { action, price: plural(language, tabs.credits, credits) });
