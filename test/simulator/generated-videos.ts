import type { SampleLine, SampleVideo } from './samples.ts';

const subjects = [
  'The harbour master',
  'A retired pilot',
  'Our neighbour',
  'The youngest apprentice',
  'The bridge keeper',
  'A visiting botanist',
  'The night nurse',
  'The clock mender',
];
const verbs = [
  'measures the water',
  'counts the lanterns',
  'repairs the old engine',
  'writes down the weather',
  'explains the map',
  'sorts the letters',
  'waters the seedlings',
  'listens to the radio',
];
const circumstances = [
  'before sunrise.',
  'when the market opens.',
  'twice a week.',
  'without any hurry.',
  'in a small notebook.',
  'for the whole street.',
  'while the kettle boils.',
  'after the last ferry.',
];

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

/** Line `index` of a generated text: deterministic in words and times. */
export const generatedLine = (index: number, salt = 0): SampleLine => {
  const n = index * 7 + salt * 13;
  const text = `${pick(subjects, n)} ${pick(verbs, n + Math.floor(n / 8))} ${pick(circumstances, n + Math.floor(n / 64))}`;
  return [index * 6_900 + (n % 5) * 120, 4_800 + (n % 7) * 210, text];
};

export const generatedLines = (count: number, salt = 0): SampleLine[] =>
  Array.from({ length: count }, (_, index) => generatedLine(index, salt));

/** The kinds of generated videos: the prefix of the id is the state, its seven digits the number. */
export type GeneratedKind = 'vid' | 'prv' | 'del' | 'ncp';

export const generatedId = (kind: GeneratedKind, n: number): string => `${kind}-${String(n).padStart(7, '0')}`;

/**
 * The video behind an id such as `vid-0000042`: captioned, private (`prv`), deleted (`del`) or without
 * captions (`ncp`). Every third captioned one has only automatic captions. Undefined for other ids.
 */
export const generatedVideo = (videoId: string): SampleVideo | undefined => {
  const match = /^(vid|prv|del|ncp)-(\d{7})$/.exec(videoId);
  if (!match) return undefined;
  const [, kind, digits] = match;
  const n = Number(digits);
  const isAutomatic = n % 3 === 0;
  return {
    videoId,
    about: 'made by the generator',
    state: kind === 'prv' ? 'private' : kind === 'del' ? 'deleted' : 'ok',
    title: `Harbour notes, part ${n}`,
    channel: 'Harbour Notes',
    channelId: 'UCharbournotes0000000001',
    durationS: 60 + (n % 90),
    description: `Part ${n} of a long series.`,
    category: 'Education',
    publishDate: '2026-03-01T08:00:00+00:00',
    keywords: ['harbour'],
    tracks:
      kind === 'vid'
        ? [
            {
              language: 'en',
              name: isAutomatic ? 'English (auto-generated)' : 'English',
              kind: isAutomatic ? 'asr' : 'manual',
              lines: generatedLines(8, n),
            },
          ]
        : [],
  };
};
