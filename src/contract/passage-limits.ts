/*
 * Numbers and lengths of passages that operations choose: for the reference, the prompts of models and the extracts. Without
 * schemas, because the extracts run in threads of their own.
 */

/** Quotes of a video. */
export const quoteLimits = { most: 8, fewestWords: 6, mostWords: 40 } as const;

/** Clips of a video. */
export const clipLimits = { most: 6, shortestS: 15, longestS: 90 } as const;
