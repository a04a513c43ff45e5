import { withBoundedLines } from '../../kernel/bounded-lines.ts';

/** More than any answer of a tool has. */
const maxLineBytes = 64 * 1024 * 1024;

/** A server-sent event. */
export type ServerEvent = { readonly id: string; readonly event: string; readonly data: string };

const nothing: ServerEvent = { id: '', event: '', data: '' };

/** Server-sent events, each with one line of data, as they arrive. */
export async function* serverEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let [rest, read] = ['', nothing];
  for await (const chunk of withBoundedLines(body, maxLineBytes)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, field = '', value = ''] = /^(id|event|data): (.*)$/s.exec(line) ?? [];
      if (field !== '') read = { ...read, [field]: value };
      if (line !== '') continue;
      if (read.data !== '') yield read;
      read = nothing;
    }
  }
}
