import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Call } from '../../kernel/call.ts';
import type { HeaderFields } from './answer.ts';
import type { Endpoint } from './endpoint.ts';

/** One request on its way through the edge: what the stations before have found out. */
export type Exchange = {
  /** Shown to the caller, who may have chosen it. */
  readonly requestId: string;
  /** Always made here. */
  readonly ownId: string;
  /** Monotonic, when the request arrived. */
  readonly startedMs: number;
  /** Of the client. */
  readonly address: string;
  /** Aborts when the caller is gone or its time is up. */
  readonly abort: AbortController;
  /** What its answer will carry whatever it is; once it is sent, what it carried. */
  headers: HeaderFields;
  endpoint: Endpoint | null;
  /** Set once the key is known. */
  call: Call | null;
  /** Of a failure. */
  code: string | null;
  /** Whether the captions came from what is kept; null where none were read. */
  isCacheHit: boolean | null;
  isTimeUp: boolean;
};

const ours = Symbol('exchange');

type Carrying = ServerResponse & { [ours]?: Exchange };

export const begin = (response: Carrying, exchange: Exchange): void => {
  response[ours] = exchange;
};

/** The exchange that this response ends. */
export const exchangeOf = (response: Carrying): Exchange => {
  const exchange = response[ours];
  assert(exchange !== undefined, 'every request begins at the entrance');
  return exchange;
};
