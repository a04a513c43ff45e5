import { withBoundedLines } from '../../kernel/bounded-lines.ts';

/** The value of a JSON text; undefined if it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** More than any answer of a tool has. */
const maxLineBytes = 64 * 1024 * 1024;

/** The values of one field (`data`, `id`) of server-sent events, as they arrive. */
export async function* eventFields({ body }: Response, field: string): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const prefix = `${field}: `;
  let rest = '';
  for await (const chunk of withBoundedLines(body, maxLineBytes)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith(prefix)) yield line.slice(prefix.length);
  }
}
