/** A line of an input is longer than its reader takes. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';

  constructor(number: number, maxBytes: number) {
    super(`line ${number} is longer than ${maxBytes} bytes, which is the most that is read`);
  }
}

const lineFeed = 10;

/**
 * The chunks of a text as they come, for a reader that keeps a line until it ends. Throws `LineTooLongError` before a line
 * of more than `maxBytes` is passed on, so that an input without ends of lines takes no more memory than any other.
 */
export async function* withBoundedLines(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let number = 1;
  let length = 0;
  for await (const chunk of chunks) {
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    while (start < bytes.length) {
      const found = bytes.indexOf(lineFeed, start);
      const end = found === -1 ? bytes.length : found;
      length += end - start;
      if (length > maxBytes) throw new LineTooLongError(number, maxBytes);
      start = end + 1;
      if (found === -1) break;
      number += 1;
      length = 0;
    }
    yield bytes;
  }
}
