/**
 * The words that captions use for sounds that are not speech, lower case, NFKC. A span in brackets within a
 * sentence is removed only when it holds nothing but these and the words of `besides`, so that "the film
 * (music by Max)" keeps its meaning. Words that also mean something in another language are left out.
 */
const soundWords = `
music musical instrumental singing sings applause applauding applauds clapping claps cheering cheers
laughter laughs laughing laugh chuckles chuckling chuckle giggles giggling giggle snickers sighs sighing sigh
gasps gasping gasp coughs coughing cough sneezes sneezing sniffles sniffling sobs sobbing sob crying cries
weeping screams screaming scream shouting shouts yells yelling groans groaning groan grunts grunting moans
whistles whistling whistle whispers whispering humming hums silence static beep beeps beeping bleep ringing
rings buzzing knocking knocks footsteps barking barks barks meows chirping thunder rumbling explosion
gunshot gunshots gunfire siren sirens honking slams creaks creaking squeaks clatters splashing thud crash
crashes bang bangs banging pops popping clicks clicking ticking whoosh whooshes whooshing swoosh swooshes
howling howls roaring roars growling growls hissing hisses screeching screeches squealing squeals wailing wails
whimpers whimpering scoffs scoffing snorts snorting gulps blaring blares chimes chiming dings dinging rattling
rattles rustling crackling revving purring chatter chattering murmuring murmurs inhales exhales breathing panting yawns burps hiccups snoring
musik applaus beifall gelächter lachen lacht klatschen klatscht jubel husten hustet seufzt seufzen räuspern
räuspert stille pfeifen pfeift gesang weint weinen schreit schreie
música aplausos aplauso risas risa risos risadas ríe suspiro suspira tose silencio silêncio gritos llanto choro
vítores silbido canto musique applaudissements applaudissement rires toux soupir soupire sifflements pleurs
acclamations musica applausi risate risata ridono sospiro sospira tosse silenzio grida fischi
muziek gelach gejuich zucht muzyka oklaski brawa śmiech kaszel westchnienie cisza
музыка музика музыкальная аплодисменты смех смеется смеётся смеются кашель кашляет вздох вздыхает тишина
крики пение плач оплески сміх сміється тиша смях müzik alkış alkışlar gülüşmeler kahkaha öksürük sessizlik
موسيقى الموسيقى تصفيق ضحك ضحكات يضحك سعال صمت هتاف هتافات غناء بكاء تنهد موسیقی تشویق خنده
מוזיקה מוסיקה צחוק צוחק שיעול שתיקה संगीत तालियाँ तालियां हँसी हंसी সঙ্গীত সংগীত হাততালি இசை సంగీతం
ดนตรี เพลง เสียงดนตรี ปรบมือ เสียงปรบมือ หัวเราะ เสียงหัวเราะ nhạc cười tertawa
음악 박수 박수갈채 웃음 웃음소리 환호 환호성 기침 한숨 침묵 노래
applåder skratt skrattar musikk bifald latter musiikki musiikkia aplodit aplodeja naurua nauraa
hudba potlesk smích zene nevetés muzică aplauze râsete μουσική χειροκρότημα γέλια
`;

/** Words that may stand beside a sound: who makes it, how, and where. */
const besideWords = `
audience crowd man woman men women people person children child kids baby dog dogs bird birds wind phone door
bell bells engine horn car water all both group everyone he she they the a an and of in on at with over to
from his her their playing plays play continues continue continuing starts start stops stop ends fades fading
fade out up down away soft softly loud loudly gentle gently upbeat dramatic tense suspenseful ominous sad
happy cheerful quiet quietly background distance distant faint faintly light lightly slow fast heavy heavily
nervously deeply wildly warmly slightly softly piano guitar drum drums violin orchestral classical electronic
ambient jazz rock pop folk theme intro outro opening closing opens closes clears throat blowing live
canned polite scattered thunderous intense mysterious eerie solemn somber playful whimsical lively energetic
epic serene calm peaceful relaxing melancholic melancholy haunting ethereal romantic triumphant festive mellow
funky uplifting inspirational indistinct indistinctly muffled alarm alarms tires cat cats horse horses train
keyboard logo glass gun church clock fans students
leise laute sanfte ruhige dramatische publikum und spielt im hintergrund der die das
del de la el las los y suave público du et public le les da do e plateia il pubblico di
tiếng vỗ tay âm tepuk tangan se śmieje iç çeker כפיים מחיאות тихая громкие спокойная
`;

const words = (list: string): Set<string> => new Set(list.split(/\s+/).filter(Boolean));

const sounds = words(soundWords);
const besides = words(besideWords);

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

/** Chinese and Japanese write no spaces: a short span that ends or begins so is a sound. */
const hanSounds =
  /^(?:音楽|音乐|音樂|拍手|笑|笑い|笑い声|笑声|笑聲|大笑|爆笑|苦笑|歓声|欢呼|欢呼声|歡呼|歡呼聲|掌声|掌聲|鼓掌|咳|咳嗽|ため息|叹气|嘆氣|沈黙|沉默|歌声|歌聲|効果音|無音|インストゥルメンタル|(?:と|、|和|及|與|与|・|的|の)){1,5}$/u;

const roles = words(
  'man woman boy girl host guest narrator speaker interviewer interviewee announcer reporter presenter moderator voiceover voice male female student teacher caller operator child translator interpreter',
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
