/** Everything that a caller can be charged for or that usage counts. It is the `kind` of usage. */
export type Operation =
  | 'transcript'
  | 'raw'
  | 'languages'
  | 'batch'
  | 'playlist'
  | 'channel'
  | 'job'
  | 'job_item'
  | 'search'
  | 'ask'
  | 'summarize'
  | 'chapters'
  | 'quotes'
  | 'clips'
  | 'repurpose'
  | 'translate';

/** Stored on every charge; a new price list is a new version, and old charges keep theirs. */
export const priceBook = '2026-11';

/** Credits per success. `playlist` and `channel`: per started hundred of entries returned; `batch`: per video. */
export const prices: Readonly<Record<Operation, number>> = {
  transcript: 1,
  raw: 1,
  languages: 0,
  batch: 1,
  playlist: 1,
  channel: 1,
  job: 0,
  job_item: 1,
  search: 1,
  ask: 3,
  summarize: 3,
  chapters: 3,
  quotes: 2,
  clips: 3,
  repurpose: 5,
  translate: 5,
};

/** Price of a listing that returned this many entries. */
export const listingPrice = (returned: number): number => Math.max(1, Math.ceil(returned / 100));
