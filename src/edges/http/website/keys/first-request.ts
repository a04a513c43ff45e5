import { plainFormat } from '../../../../contract/formats.ts';

/** A request that works at once, ready to paste into a shell. */
export const firstRequest = (publicUrl: string, key: string): string =>
  `curl "${publicUrl}/v1/transcripts/jNQXAC9IVRw?format=${plainFormat}" \\\n  -H "Authorization: Bearer ${key}"`;
