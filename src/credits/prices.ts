import { operationNamed, operations } from '../contract/operations.ts';

/** Everything that a caller can be charged for or that usage counts. It is the `kind` of usage. */
export const usageKinds = [
  'transcript',
  'raw',
  'languages',
  'video',
  'batch',
  'playlist',
  'channel',
  'job',
  'job_item',
  ...operations.map(({ name }) => name),
] as const;

export type UsageKind = (typeof usageKinds)[number];

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

/** What a transcript costs. */
export const transcriptPrice = 1;

/** What a transcript costs whose speech was recognized. */
export const recognitionPrice = 10;

/** The price of a transcript in a description. */
export const transcriptPriceText = `${transcriptPrice} credit, ${recognitionPrice} if speech was recognized`;

/** What each kind of usage costs when it succeeds, in whole credits. */
export const priceOf = (
  operation: UsageKind,
  {
    quantity = 1,
    usesModel = true,
    isOfAuthor = false,
    isRecognized = false,
  }: PriceFacts & {
    /** Whether it is what the author of the video wrote. */
    readonly isOfAuthor?: boolean;
  } = {},
): number => {
  switch (operation) {
    case 'languages':
    case 'video':
    case 'job':
      return 0;
    case 'raw':
      return transcriptPrice;
    case 'transcript':
    case 'batch':
    case 'job_item':
      return quantity * (isRecognized ? recognitionPrice : transcriptPrice);
    case 'playlist':
    case 'channel':
      return startedHundreds(quantity);
    default: {
      const { credits } = operationNamed(operation);
      if (isOfAuthor && credits.author !== undefined) return credits.author;
      return credits[usesModel ? 'model' : 'extract'];
    }
  }
};

/** Of the entries of a listing, which has a price for each; at least one. */
export const startedHundreds = (entries: number): number => Math.max(1, Math.ceil(entries / 100));
