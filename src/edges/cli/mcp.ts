import type { Command } from 'commander';
import { parseJson } from '../../kernel/parse-json.ts';
import { serverEvents } from './server-text.ts';
import { linesIn, print, type Server, say, type Terminal } from './terminal.ts';

/**
 * `steno mcp`: the Model Context Protocol over stdin and stdout, for clients that start their servers. With `--url` it
 * passes messages on to a server; without, to the service in this process, which needs no account.
 */
export const addMcp = (program: Command, terminal: Terminal): void => {
  program
    .command('mcp')
    .description('serve the Model Context Protocol over stdin and stdout')
    .option('--url <url>', 'of a server (…/mcp), with its key in STENO_API_KEY; default: this process')
    .action(async ({ url }: { readonly url?: string }) => {
      if (url === undefined) {
        await using local = await terminal.startMcp();
        await bridge(terminal, local);
        return;
      }
      if (!URL.canParse(url)) throw new Error(`--url must be a URL, not ${url}`);
      const { STENO_API_KEY: key = '' } = terminal.environment();
      if (key === '') throw new Error('STENO_API_KEY is not set; it must be the API key for --url');
      await bridge(terminal, { url, key });
    });
};

/** Maximum of concurrent messages; the next line is read after one of them is answered. */
const maxUnderWay = 64;
const maxLineBytes = 4 * 1024 * 1024;
/** Timeout of a request, longer than that of the server. */
const timeLimitMs = 120_000;
/** The status of a request that the client cancelled: it gets no response. */
const cancelled = 202;

type Streams = Pick<Terminal, 'stdin' | 'stdout' | 'stderr' | 'signal'>;

/** Sends each line of stdin as one HTTP request, and writes every message of its answer as a line, until stdin ends. */
export const bridge = async (streams: Streams, server: Server): Promise<void> => {
  const underWay = new Set<Promise<void>>();
  for await (const line of linesIn(streams, maxLineBytes)) {
    const forwarded = forward(streams, server, line)
      .catch((error: unknown) => {
        if (!streams.signal.aborted) say(streams, `steno: ${String(error)}`);
      })
      .finally(() => underWay.delete(forwarded));
    underWay.add(forwarded);
    if (underWay.size >= maxUnderWay) await Promise.race(underWay);
  }
  await Promise.all(underWay);
};

type Message = {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly [name: string]: unknown; readonly _meta?: Record<string, unknown> };
};

const forward = async (streams: Streams, server: Server, line: string): Promise<void> => {
  const message = parsed(line);
  if (message === null) {
    return print(streams, rpcError(null, -32700, 'Parse error: the line is not a JSON object'));
  }
  const { id } = message;
  const isRequest = id !== undefined && typeof message.method === 'string';
  let isAnswered = false;
  let failed = 'cannot be reached';
  try {
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: headersFor(server, message),
      body: line,
      signal: AbortSignal.any([streams.signal, AbortSignal.timeout(timeLimitMs)]),
    });
    failed = 'broke off its response';
    if ((answer.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
      for await (const { data } of serverEvents(answer)) {
        isAnswered ||= parsed(data)?.method === undefined;
        await print(streams, data);
      }
      return;
    }
    const text = await answer.text();
    if (isRequest && answer.status !== cancelled) {
      await print(streams, responseFor(id, answer.status, text));
    }
  } catch (error) {
    streams.signal.throwIfAborted();
    if (!isRequest) throw error;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    if (!isAnswered) await print(streams, rpcError(id, -32603, `${server.url} ${failed}: ${why}`));
  }
};

const parsed = (line: string): Message | null => {
  const value = parseJson(line);
  return typeof value === 'object' && !Array.isArray(value) ? value : null;
};

const inMeta = 'io.modelcontextprotocol/protocolVersion';

/** From revision 2026-07-28 on, headers repeat what the body says. */
const headersFor = ({ key }: Server, { method, params }: Message): Record<string, string> => {
  const revision = params?._meta?.[inMeta];
  const name = params?.['name'] ?? params?.['uri'] ?? params?.['taskId'];
  return {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(typeof revision !== 'string'
      ? {}
      : {
          'MCP-Protocol-Version': revision,
          'Mcp-Method': String(method),
          ...(typeof name === 'string' ? { 'Mcp-Name': headerText(name) } : {}),
        }),
  };
};

/** A text as the value of a header; text that a header cannot contain is encoded. */
const headerText = (text: string): string =>
  /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The response as a line: that of the server, or a JSON-RPC error with the message of an HTTP error. */
const responseFor = (id: unknown, status: number, text: string): string => {
  const answered = parsed(text) as { jsonrpc?: unknown; error?: Record<string, unknown> } | null;
  if (answered?.jsonrpc === '2.0') return JSON.stringify({ ...answered, id });
  const { code, message, ...data } = answered?.error ?? {};
  const told = code === undefined ? `The server answered ${status}.` : `${code}: ${message}`;
  return rpcError(id, -32603, told, { code, http_status: status, ...data });
};

const rpcError = (id: unknown, code: number, message: string, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
