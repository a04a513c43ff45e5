export type Format = {
  readonly mediaType: string;
  /** Of files, and another name of the format. */
  readonly extension: string;
  /** Made for players: several in one text would be none. */
  readonly isSubtitle?: true;
  /** A file from a page that shows times has them too. */
  readonly hasTimesAsShown?: true;
  /** What a caption costs a model besides its text: times, numbers, the names of members. */
  readonly tokensPerCue: number;
  /** The same of each word whose time it has; absent: it has none. */
  readonly tokensPerWord?: number;
};

/** The formats of a transcript. `json` is the object of the API; every other one has its writer in `src/transcripts/formats`. */
export const formats = {
  txt: { mediaType: 'text/plain', extension: 'txt', hasTimesAsShown: true, tokensPerCue: 3 },
  srt: { mediaType: 'application/x-subrip', extension: 'srt', isSubtitle: true, tokensPerCue: 14 },
  vtt: { mediaType: 'text/vtt', extension: 'vtt', isSubtitle: true, tokensPerCue: 12, tokensPerWord: 12 },
  markdown: { mediaType: 'text/markdown', extension: 'md', tokensPerCue: 16 },
  json: { mediaType: 'application/json', extension: 'json', tokensPerCue: 14, tokensPerWord: 14 },
} as const satisfies Readonly<Record<string, Format>>;

export type TranscriptFormat = keyof typeof formats;

/** The formats whose whole is a text. */
export type TextFormat = Exclude<TranscriptFormat, 'json'>;

const declared: Readonly<Record<TranscriptFormat, Format>> = formats;

/** Every format, in the order in which faces show them. */
export const transcriptFormats = Object.keys(formats) as readonly TranscriptFormat[];

/** What is said of a format. */
export const aboutFormat = (format: TranscriptFormat): Format => declared[format];

/** Those that hold when each word is said, in words. */
export const formatsWithWords = transcriptFormats.filter((name) => declared[name].tokensPerWord).toSorted();

/** The one that pages show in an example. */
export const exampleFormat = 'srt' satisfies TextFormat;

/** The one of subtitles that pages make themselves: every player reads it. */
export const subtitleFormat = 'srt' satisfies TextFormat;

/** The one that is given where none is named and a text is wanted. */
export const plainFormat = 'txt' satisfies TextFormat;

/** Every name that a format has, its file extension among them. */
export const formatNames = [
  ...new Set([...transcriptFormats, ...transcriptFormats.map((name) => formats[name].extension)]),
];

/** The format of a name or a file extension; null: there is none. */
export const formatNamed = (name: string): TranscriptFormat | null =>
  transcriptFormats.find((each) => each === name || formats[each].extension === name) ?? null;

/** The `Content-Type` of a format. */
export const contentTypeOf = (format: TranscriptFormat): string => `${formats[format].mediaType}; charset=utf-8`;
