/** One event of a stream of server-sent events. */
export type ServerSentEvent = { readonly id: string; readonly event: string; readonly data: string };

/** The lines of a stream; line ends are LF, CR LF or CR. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A CR at the end may be the first half of CR LF.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The events of a stream that arrived whole; one that was cut off is not given. */
export async function* serverSentEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(stream)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
    if (line !== '') continue;
    if (data.length > 0) yield { id, event: event === '' ? 'message' : event, data: data.join('\n') };
    event = '';
    data = [];
  }
}
