import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const decompressors = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
};

/**
 * Decompresses a body in a content coding of HTTP. Null when the coding is unknown. Rejects with a RangeError
 * (ERR_BUFFER_TOO_LARGE) when the result has more than `maxBytes`.
 */
export const decompress = (bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> | null =>
  Object.hasOwn(decompressors, coding)
    ? decompressors[coding as keyof typeof decompressors](bytes, { maxOutputLength: maxBytes })
    : null;
