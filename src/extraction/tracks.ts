import { labelOf } from './captions/caption-text.ts';
import type { CaptionsKind, Extraction, Track, TrackKind, TrackListing } from './captions/caption-track.ts';
import { isTranslation } from './captions/timedtext.ts';
import { at, isObject, type JsonObject, listAt, numberAt, stringAt, textAt } from './json-path.ts';

/** A track with the address of its document, which lives some hours and is never kept. */
export type AddressedTrack = { readonly track: Track; readonly baseUrl: string };

export type CaptionSet = { readonly tracks: readonly AddressedTrack[]; readonly defaultTrackId: string | null };

/** The shape is not known; `path` says where. */
export type UnknownShape = { readonly unknownAt: string };

/**
 * Reads `captions` of a player answer. No captions at all is an empty set; a track without language, id or address is
 * an unknown shape, and so are captions that hold something else than tracks: a list under a new name is no "no
 * captions". The same language can appear twice (manual and automatic, or two named tracks): tracks are told
 * apart by their vssId.
 */
export const readCaptionSet = (captions: unknown): CaptionSet | UnknownShape => {
  const list = at(captions, 'playerCaptionsTracklistRenderer');
  const rows = at(list, 'captionTracks');
  if (rows === undefined) {
    const unknownAt = strangeIn(captions, list);
    return unknownAt === null ? { tracks: [], defaultTrackId: null } : { unknownAt };
  }
  if (!Array.isArray(rows)) return { unknownAt: 'captions.captionTracks' };
  const tracks: AddressedTrack[] = [];
  for (const [index, row] of rows.entries()) {
    const language = codeOf(stringAt(row, 'languageCode'));
    const baseUrl = stringAt(row, 'baseUrl');
    if (!isObject(row) || language === null || baseUrl === null)
      return { unknownAt: `captions.captionTracks[${index}]` };
    const kind = kindOf(row, baseUrl);
    const id = named(stringAt(row, 'vssId')) ?? `${kind === 'automatic' ? 'a' : ''}.${language}`;
    tracks.push({
      baseUrl,
      track: Object.freeze({
        id,
        language,
        name: named(textAt(row, 'name')) ?? language,
        kind,
        isTranslatable: row['isTranslatable'] === true,
        isRightToLeft: row['rtl'] === true,
      }),
    });
  }
  return { tracks, defaultTrackId: defaultOf(list, tracks) };
};

/** What stands beside the tracks, and without them in an answer for a video that has none. */
const besideTracks: ReadonlySet<string> = new Set([
  'audioTracks',
  'translationLanguages',
  'defaultTranslationSourceTrackIndices',
  // How to write captions for the video, and a button.
  'contribute',
  'openTranscriptCommand',
]);

/** Where captions without tracks hold what could be tracks in another shape; null: nowhere. */
const strangeIn = (captions: unknown, list: unknown): string | null => {
  if (captions === undefined || captions === null) return null;
  if (typeof captions !== 'object') return 'captions';
  if (list === undefined || list === null) {
    const holds = Object.entries(captions).some(
      // The renderer of former years: one address, without tracks.
      ([name, value]) => name !== 'playerCaptionsRenderer' && isFilled(value),
    );
    return holds ? 'captions' : null;
  }
  if (!isObject(list)) return 'captions.playerCaptionsTracklistRenderer';
  const isPointedAt = listAt(list, 'audioTracks').some((audio) => listAt(audio, 'captionTrackIndices').length > 0);
  const isElsewhere = Object.entries(list).some(([name, value]) => !besideTracks.has(name) && isFilled(value));
  return isPointedAt || isElsewhere ? 'captions.captionTracks' : null;
};

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Codes of named tracks are longer than BCP 47 has them (`en-eEY6OEpapPo`); they stand in headers of answers. */
const codeOf = (text: string | null): string | null =>
  text !== null && /^[A-Za-z0-9_-]{1,64}$/.test(text) ? text : null;

const kindOf = (row: JsonObject, baseUrl: string): TrackKind => {
  if (isTranslation(baseUrl)) return 'translated';
  const isAutomatic =
    row['kind'] === 'asr' || stringAt(row, 'vssId')?.startsWith('a.') === true || /[?&]kind=asr(?:&|$)/.test(baseUrl);
  return isAutomatic ? 'automatic' : 'manual';
};

const named = (text: string | null): string | null => labelOf(text)?.slice(0, 200) ?? null;

/**
 * The video's own default: what the default audio track points at, else the first manual track in its order, one in
 * the spoken language (that of the automatic captions) before others. Manual captions come before automatic ones of
 * the same language.
 */
const defaultOf = (list: unknown, tracks: readonly AddressedTrack[]): string | null => {
  const audio = at(list, 'audioTracks', numberAt(list, 'defaultAudioTrackIndex') ?? 0);
  const pointed = tracks[numberAt(audio, 'defaultCaptionTrackIndex') ?? -1]?.track;
  if (pointed?.kind === 'manual') return pointed.id;
  const order = listAt(audio, 'captionTrackIndices')
    .map((index) => tracks[numberAt(index) ?? -1]?.track)
    .filter((track) => track !== undefined);
  const all = order.length > 0 ? order : tracks.map(({ track }) => track);
  const manual = all.filter(({ kind }) => kind === 'manual');
  const spoken = pointed ?? all.find(({ kind }) => kind === 'automatic');
  const writtenIn = (wanted: Track | undefined) => best(manual.filter(({ language }) => language === wanted?.language));
  return (writtenIn(spoken) ?? pointed ?? writtenIn(manual[0]) ?? spoken ?? all[0])?.id ?? null;
};

type KnownTracks = Pick<TrackListing, 'tracks' | 'defaultTrackId'>;

export type Choice = Pick<Extraction, 'track' | 'matchedBy'>;

/**
 * Chooses the track for the first of some languages (BCP 47, any case, with commas between) that there is, or the
 * default track for null. An exact match wins; a language without region also finds a regional track, one with a script
 * that of a region where it is written so; a language with a region finds nothing else. Manual before automatic,
 * unnamed before named; what the platform translated comes last. Null: there is no such track of that kind, and never
 * another language or another kind instead.
 */
export const chooseTrack = (
  { tracks: all, defaultTrackId }: KnownTracks,
  language: string | null,
  captions: CaptionsKind = 'any',
): Choice | null => {
  const tracks = captions === 'any' ? all : all.filter(({ kind }) => kind === captions);
  if (language === null) {
    const usual = all.find(({ id }) => id === defaultTrackId);
    const track = defaultAmong(tracks, usual);
    return track === undefined ? null : { track, matchedBy: 'default' };
  }
  for (const each of languagesIn(language)) {
    const choice = choiceIn(tracks, each);
    if (choice !== null) return choice;
  }
  return null;
};

/** The languages that are asked for, in the order of preference. */
export const languagesIn = (language: string): readonly string[] => language.split(',').map((each) => each.trim());

/** The default track itself; where it is of another kind, one in its language. */
const defaultAmong = (tracks: readonly Track[], usual: Track | undefined): Track | undefined => {
  if (usual === undefined) return best(tracks);
  if (tracks.includes(usual)) return usual;
  return best(tracks.filter(({ language }) => language === usual.language)) ?? best(tracks);
};

const choiceIn = (tracks: readonly Track[], language: string): Choice | null => {
  const wanted = canonical(language);
  const exact = best(tracks.filter((track) => canonical(track.language) === wanted));
  if (exact !== undefined) return { track: exact, matchedBy: 'exact' };
  if (hasRegion(wanted)) return null;
  const regional = best(tracks.filter((track) => isRegional(canonical(track.language), wanted)));
  return regional === undefined ? null : { track: regional, matchedBy: 'region' };
};

/**
 * The track that the platform would make in the first of the languages of the video's default one, or of the first that
 * it translates; null: it translates none of that kind. It is kept under an id of its own.
 */
export const translatedTrack = (
  known: KnownTracks,
  language: string | null,
  captions: CaptionsKind = 'any',
): (Choice & { readonly sourceId: string }) | null => {
  const [first] = language === null ? [] : languagesIn(language);
  if (first === undefined) return null;
  const usual = chooseTrack(known, null, captions)?.track;
  const isSource = ({ kind, isTranslatable }: Track) => isTranslatable && (captions === 'any' || kind === captions);
  const source = usual?.isTranslatable ? usual : known.tracks.find(isSource);
  if (source === undefined) return null;
  // The platform translates into Chinese by script.
  const target = canonical(first) === 'zh' ? 'zh-Hans' : first;
  const track = Object.freeze({
    ...source,
    id: `${source.id}>${target}`,
    language: target,
    kind: 'translated' as const,
    isTranslatable: false,
    isRightToLeft: isRightToLeft(target),
  });
  return { track, matchedBy: 'exact', sourceId: source.id };
};

export const isRightToLeft = (language: string): boolean => /^(?:ar|fa|he|iw|ur)\b/.test(language);

/** The languages of the tracks, each once, in the platform's order. */
export const languagesOf = (tracks: readonly Track[]): string[] => [...new Set(tracks.map(({ language }) => language))];

/** In the order in which they are preferred. */
const kinds: readonly TrackKind[] = ['manual', 'automatic', 'translated', 'recognized'];

const best = (tracks: readonly Track[]): Track | undefined => {
  const pool = kinds.map((kind) => tracks.filter((track) => track.kind === kind)).find((some) => some.length > 0);
  return pool?.find(({ id, language }) => id === `.${language}`) ?? pool?.[0];
};

/** `EN_us` and `en-US` are one; so are the old and the new code of a language (`iw` and `he`). */
const canonical = (language: string): string => {
  const text = language.trim().replaceAll('_', '-');
  try {
    return (Intl.getCanonicalLocales(text)[0] ?? text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
};

/** `en-GB` is regional of `en`, and `zh-TW` of `zh-Hant`: the region says how it is written there. */
const isRegional = (language: string, wanted: string): boolean =>
  language.startsWith(`${wanted}-`) || (hasRegion(language) && withScript(language).startsWith(`${wanted}-`));

/** Of `und-US` too only the script is added: that a land mostly speaks one language says nothing of these captions. */
const withScript = (language: string): string => {
  try {
    const { script = '' } = new Intl.Locale(language).maximize();
    return new Intl.Locale(language, { script }).toString().toLowerCase();
  } catch {
    return language;
  }
};

/** A region is two letters or three digits after the language and an optional script. */
const hasRegion = (language: string): boolean =>
  language
    .split('-')
    .slice(1)
    .some((part) => /^(?:[a-z]{2}|\d{3})$/.test(part));
