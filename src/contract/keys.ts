import { z } from 'zod';
import { shownName } from '../kernel/shown-name.ts';

/** What a key may do; a key without any scope in its list may do everything that keys can. */
export const keyScopes = ['transcripts', 'ai', 'jobs', 'usage', 'webhooks'] as const;

/** The name of a key. */
export const keyName = z.string().trim().min(1).max(100).regex(shownName, { error: 'takes no control characters' });

/** The most credits of a cap of a key, of a grant and of a refund. */
export const mostCredits = 1_000_000_000;

/** The cap of a key. */
export const capCredits = z.int().min(1).max(mostCredits);

export type KeyScope = (typeof keyScopes)[number];
