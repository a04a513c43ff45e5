import { nameLink, targetName } from '../../../../extraction/link-kind.ts';

/** The lines of a text that name a video or a listing, those that name one again, and those that name nothing. */
export const countLinks = (text: string) => {
  const seen = new Set<string>();
  const counts = { valid: 0, duplicate: 0, invalid: 0 };
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '') continue;
    const target = nameLink(line);
    const name = target === null ? null : targetName(target);
    counts[name === null ? 'invalid' : seen.has(name) ? 'duplicate' : 'valid'] += 1;
    if (name !== null) seen.add(name);
  }
  return counts;
};
