import { hashBytes, type TreeHead } from './merkle.ts';
import { bytesOf } from './note.ts';

/** What a checkpoint says: of which log, how many leaves, which root. */
export type Checkpoint = TreeHead & { readonly origin: string };

/** The text of a checkpoint that is signed (C2SP tlog-checkpoint). */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;

/** Reads the text of a checkpoint, whatever lines follow its three; null: it is none. */
export const parseCheckpoint = (text: string): Checkpoint | null => {
  const [origin = '', number = '', encoded = ''] = text.split('\n');
  const root = bytesOf(encoded);
  const size = /^(0|[1-9]\d{0,15})$/.test(number) ? Number(number) : Number.NaN;
  if (origin === '' || root?.length !== hashBytes || !Number.isSafeInteger(size)) return null;
  return { origin, size, root };
};
