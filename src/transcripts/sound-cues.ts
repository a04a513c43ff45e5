import { catalogues } from '../contract/languages.ts';

/** Sounds in languages that the pages do not have, lower case, NFKC. */
const otherSounds = `
muziek gelach gejuich zucht muzyka oklaski brawa śmiech kaszel westchnienie cisza
музыка музика музыкальная аплодисменты смех смеется смеётся смеются кашель кашляет вздох вздыхает тишина
крики пение плач оплески сміх сміється тиша смях müzik alkış alkışlar gülüşmeler kahkaha öksürük sessizlik
موسيقى الموسيقى تصفيق ضحك ضحكات يضحك سعال صمت هتاف هتافات غناء بكاء تنهد موسیقی تشویق خنده
מוזיקה מוסיקה צחוק צוחק שיעול שתיקה संगीत तालियाँ तालियां हँसी हंसी সঙ্গীত সংগীত হাততালি இசை సంగీతం
ดนตรี เพลง เสียงดนตรี ปรบมือ เสียงปรบมือ หัวเราะ เสียงหัวเราะ nhạc cười tertawa
applåder skratt skrattar musikk bifald latter musiikki musiikkia aplodit aplodeja naurua nauraa
hudba potlesk smích zene nevetés μουσική χειροκρότημα γέλια
`;

/** Words beside a sound in those languages. */
const otherBesides = `
tiếng vỗ tay âm tepuk tangan se śmieje iç çeker כפיים מחיאות тихая громкие спокойная
`;

const wordsIn = (list: string): readonly string[] => list.split(/\s+/).filter(Boolean);

const { ja, zh, ...spaced } = catalogues;
const unspaced = [ja.soundCues, zh.soundCues];
const cues = Object.values(spaced).map(({ soundCues }) => soundCues);

/**
 * The words that captions use for sounds that are not speech. A span in brackets within a sentence is removed
 * only when it holds nothing but these and the words of `besides`, so that "the film (music by Max)" keeps its
 * meaning. Words that also mean something in another language are left out.
 */
const sounds = new Set([otherSounds, ...cues.map((cue) => cue.sounds)].flatMap(wordsIn));

/** Words that may stand beside a sound: who makes it, how, and where. */
const besides = new Set([otherBesides, ...cues.map((cue) => cue.besides)].flatMap(wordsIn));

/** Phrases that say a sound only as a whole. */
const phrases = new Set([
  'clears throat',
  'vỗ tay',
  'tepuk tangan',
  'iç çeker',
  'מחיאות כפיים',
  'se ríe',
  'śmieje się',
]);

/** Chinese and Japanese write no spaces: a short span that is made of sounds and of words between them is a sound. */
const hanSounds = new RegExp(
  `^(?:${unspaced.flatMap(({ sounds }) => wordsIn(sounds)).join('|')}|と|、|和|及|與|与|・|的|の){1,5}$`,
  'u',
);

const roles = new Set(
  wordsIn(
    'man woman boy girl host guest narrator speaker interviewer interviewee announcer reporter presenter moderator voiceover voice male female student teacher caller operator child translator interpreter',
  ),
);

const normal = (text: string): string => text.normalize('NFKC').toLowerCase().trim();

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}]+/gu) ?? [];

/** Whether what stands in brackets names a sound and nothing else. */
export const isSound = (content: string): boolean => {
  const text = normal(content);
  if (phrases.has(text) || hanSounds.test(text)) return true;
  const all = wordsOf(text);
  return (
    all.some((word) => sounds.has(word)) &&
    all.every((word) => sounds.has(word) || besides.has(word)) &&
    !/[\d_=;{}/\\<>]/.test(text)
  );
};

/** Whether it names who speaks: "MAN", "speaker 2", "male narrator". */
export const isSpeaker = (content: string): boolean => {
  const text = normal(content);
  const all = wordsOf(text);
  return all.length > 0 && /^[\p{L}\s#\d.-]+$/u.test(text) && all.every((word) => roles.has(word));
};
