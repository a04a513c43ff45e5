/** What a key may do; a key without any scope in its list may do everything that keys can. */
export const keyScopes = ['transcripts', 'ai', 'jobs', 'usage', 'webhooks'] as const;

export type KeyScope = (typeof keyScopes)[number];
