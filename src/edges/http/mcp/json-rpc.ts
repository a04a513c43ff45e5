/** Codes of JSON-RPC 2.0, and those of the protocol from revision 2026-07-28 on. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

export type RpcId = string | number;

/** A failure of the protocol itself, answered as a JSON-RPC error. The SDK reads `code` and `data`. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: object | undefined;
  /** The HTTP status, 200 where the request was understood. */
  readonly status: number;

  constructor(code: number, message: string, more: { status?: number; data?: object } = {}) {
    super(message);
    this.code = code;
    this.data = more.data;
    this.status = more.status ?? 200;
  }
}

export type RpcParams = Readonly<Record<string, unknown>>;

export type RpcRequest = {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: RpcParams;
};

export type RpcMessage =
  | RpcRequest
  | { readonly kind: 'notification'; readonly method: string; readonly params: RpcParams }
  /** An answer to a request of ours; none was made. */
  | { readonly kind: 'response' };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const invalid = (message: string): RpcError => new RpcError(rpcCodes.invalidRequest, message, { status: 400 });

/** The one JSON-RPC message of a body. Throws `RpcError` for anything else; batches are refused as a whole. */
export const readMessage = (body: unknown): RpcMessage => {
  if (Array.isArray(body)) {
    throw invalid('Batches are not accepted: send one JSON-RPC message per request.');
  }
  if (!isObject(body) || body['jsonrpc'] !== '2.0') {
    throw invalid('The body is not a JSON-RPC 2.0 message.');
  }
  const { id, method, params } = body;
  if (method === undefined && ('result' in body || 'error' in body)) return { kind: 'response' };
  if (typeof method !== 'string') throw invalid('method must be a string.');
  const known = isObject(params) ? params : {};
  if (!('id' in body)) return { kind: 'notification', method, params: known };
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) {
    throw invalid('id must be a string or a whole number.');
  }
  if (typeof id === 'string' && id.length > longestId) {
    throw invalid(`id may have ${longestId} characters at most.`);
  }
  return { kind: 'request', id: id as RpcId, method, params: known };
};

const longestId = 1_024;

/** Whether the `params` of a body are what JSON-RPC by name takes. */
export const hasParamsByName = (body: unknown): boolean =>
  !isObject(body) || body['params'] === undefined || isObject(body['params']);

/** The `_meta` of a request. */
export const metaOf = (params: RpcParams): RpcParams => {
  const { _meta: meta } = params;
  return isObject(meta) ? meta : {};
};

/** The methods that list something. */
export const listMethods: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** The methods about a task, which `taskId` names. */
export const taskMethods: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

/** The member of `params` that names what a method is about, if one does. */
export const namingMembers: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ...[...taskMethods].map((method) => [method, 'taskId'] as const),
]);

/** The bytes of a JSON-RPC error. */
export const errorText = (id: RpcId | null, { code, message, data }: RpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
