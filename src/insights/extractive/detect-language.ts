import { baseLanguage } from '../../kernel/languages.ts';
import { stopWordsOf } from './stop-words.ts';
import { words } from './words.ts';

const guessed = ['en', 'es', 'de', 'fr', 'it', 'pt', 'ro'] as const;

/** The base language the captions name; else a guess by script and by the commonest words; else an empty text. */
export const detectLanguage = (language: string | null, text: string): string => {
  const named = baseLanguage(language);
  if (named !== '' && named !== 'und') return named;
  const sample = text.slice(0, 20_000);
  if (/[\u3040-\u30ff]/u.test(sample)) return 'ja';
  if (/[\uac00-\ud7a3]/u.test(sample)) return 'ko';
  if (/[\u4e00-\u9fff]/u.test(sample)) return 'zh';
  const said = words(sample, null);
  const counts = guessed.map((each) => {
    const stopWords = stopWordsOf(each);
    return { each, count: said.filter((word) => stopWords.has(word)).length };
  });
  const [best] = counts.toSorted((a, b) => b.count - a.count);
  return best !== undefined && best.count > said.length / 10 ? best.each : '';
};
