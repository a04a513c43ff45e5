// Made from docs/openapi.json by `npm run clients`.

/** The members of the result of each AI operation, whose hash is in its receipt. */
export const resultMembers: Readonly<Record<string, readonly string[]>> = {
  summarize: ['summary'],
  chapters: ['chapters', 'source'],
  ask: ['answer', 'citations', 'grounded'],
  search: ['results'],
  quotes: ['quotes'],
  clips: ['clips'],
  repurpose: ['content'],
  translate: ['translated', 'source_language', 'code', 'message', 'segment_count', 'segments'],
};
