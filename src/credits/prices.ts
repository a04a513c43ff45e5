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

/** Version of the price list, stored with every charge. A new price list is a new version; old charges keep theirs. */
export const priceBook = '2026-11.2';

/** What a price depends on besides the operation. */
export type PriceFacts = {
  /** Videos of a batch or a job, entries that a listing returned; 1 for everything else. */
  readonly quantity?: number;
  /** Whether a model made the answer: an extractive fallback and an original transcript are not made by one. */
  readonly usesModel?: boolean;
  /** Whether the speech of the video was recognized, because it has no captions. */
  readonly isRecognized?: boolean;
};

/** What a transcript costs whose speech was recognized. */
export const recognitionPrice = 10;

/** What an operation costs when it succeeds, in whole credits. */
export const priceOf = (
  operation: Operation,
  { quantity = 1, usesModel = true, isRecognized = false }: PriceFacts = {},
): number => {
  switch (operation) {
    case 'languages':
    case 'job':
      return 0;
    case 'raw':
    case 'search':
      return 1;
    case 'transcript':
    case 'batch':
    case 'job_item':
      return quantity * (isRecognized ? recognitionPrice : 1);
    case 'playlist':
    case 'channel':
      return Math.max(1, Math.ceil(quantity / entriesPerCredit));
    case 'quotes':
      return usesModel ? 2 : 1;
    case 'ask':
    case 'summarize':
    case 'chapters':
    case 'clips':
      return usesModel ? 3 : 1;
    case 'repurpose':
    case 'translate':
      return usesModel ? 5 : 1;
  }
};

/** A listing costs one credit for each started hundred of entries. */
const entriesPerCredit = 100;
