import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../../kernel/call.ts';
import type { RequestInfo } from '../middleware/route.ts';
import { metaOf, type RpcRequest } from './json-rpc.ts';

/** What a handler adds to the result of a request and to its HTTP answer. */
export type AnswerParts = {
  /** JSON that is written in place of `textMark` in the content of the result; null: nothing is. */
  readonly keptText: Buffer | null;
  /** JSON that becomes the `structuredContent` of the result; null: none. */
  readonly structuredContent: Buffer | string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCacheHit: boolean | null;
};

export const noParts: AnswerParts = { keptText: null, structuredContent: null, headers: {}, isCacheHit: null };

/** One request on its way through the SDK server, and what came of it so far. */
export type Exchange = {
  readonly request: RpcRequest;
  readonly call: Call;
  readonly requestInfo: RequestInfo;
  /** The response, with the id of the client; null: the client cancelled. Rejects when the caller is gone or its time is up. */
  readonly response: Promise<JSONRPCMessage | null>;
  parts: AnswerParts;
  /** How far the work is, where it can say so; null: how long it takes is not known. */
  progress: { readonly progress: number; readonly total: number; readonly message: string } | null;
  /** Ends the work; the response is null. */
  cancel(): void;
};

/** Whether the client asked for progress, and takes the stream that it comes in. */
export const wantsProgress = ({ request, requestInfo }: Pick<Exchange, 'request' | 'requestInfo'>): boolean => {
  const { progressToken } = metaOf(request.params);
  const isToken = typeof progressToken === 'string' || typeof progressToken === 'number';
  return isToken && String(requestInfo.request.headers.accept ?? '').includes('text/event-stream');
};

/** Stands for `keptText`. */
export const textMark = '\0';

export type MultiplexTransport = Transport & {
  /** Hands a request to the SDK server under an id of its own. */
  open(request: RpcRequest, call: Call, requestInfo: RequestInfo): Exchange;
  /** The exchange of a request by the id that the SDK server knows. */
  exchangeOf(id: RequestId): Exchange;
};

type OpenExchange = { readonly exchange: Exchange; readonly settle: (message: JSONRPCMessage | null) => void };

/**
 * A transport over which one long-lived SDK server answers the requests of all clients. Each request gets an internal
 * id, so that clients may choose the same ids; its response goes back to the HTTP request it came from.
 */
export const multiplexTransport = (): MultiplexTransport => {
  const opened = new Map<RequestId, OpenExchange>();
  let lastId = 0;

  const transport: MultiplexTransport = {
    async start() {},
    async close() {
      for (const { exchange } of opened.values()) exchange.cancel();
      transport.onclose?.();
    },
    async send(message) {
      // Requests and notifications of the SDK itself have no client that they could go to.
      if ('method' in message || message.id === undefined) return;
      const open = opened.get(message.id);
      open?.settle({ ...message, id: open.exchange.request.id });
    },
    exchangeOf(id) {
      const open = opened.get(id);
      if (open === undefined) throw new Error('the request is over');
      return open.exchange;
    },
    open(request, call, requestInfo) {
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<JSONRPCMessage | null>();
      // It may be settled before anybody waits for it.
      promise.catch(() => undefined);
      const { signal } = requestInfo;
      const end = (): void => {
        opened.delete(id);
        signal.removeEventListener('abort', giveUp);
      };
      const stopWork = (): void => {
        const params = { requestId: id, reason: 'cancelled' };
        transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
      };
      const giveUp = (): void => {
        stopWork();
        end();
        reject(new Error('the caller is gone, or its time is up'));
      };
      const settle = (message: JSONRPCMessage | null): void => {
        end();
        resolve(message);
      };
      const exchange: Exchange = {
        request,
        call,
        requestInfo,
        response: promise,
        parts: noParts,
        progress: null,
        cancel() {
          stopWork();
          settle(null);
        },
      };
      opened.set(id, { exchange, settle });
      if (signal.aborted) giveUp();
      else {
        signal.addEventListener('abort', giveUp, { once: true });
        const { method } = request;
        // The SDK refuses a call that asks for a task of revision 2025-11-25; a server without those has to ignore it.
        const { task: _, ...params } = request.params;
        transport.onmessage?.({ jsonrpc: '2.0', id, method, params });
      }
      return exchange;
    },
  };
  return transport;
};
