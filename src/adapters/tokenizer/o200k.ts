import type { Tokenizer } from '../../transcripts/tokens.ts';

/** Texts come from videos: what looks like a control token of a model is text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** The vocabulary of the models since GPT-4o. It takes a third of a second to load, with the first count. */
export const o200k: Tokenizer = {
  name: 'o200k_base',
  load: async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    return (text) => countTokens(text, asText);
  },
};
