import type { IncomingHttpHeaders } from 'node:http';
import {
  isObject,
  listMethods,
  metaOf,
  namingMembers,
  RpcError,
  type RpcMessage,
  type RpcParams,
  type RpcRequest,
  rpcCodes,
} from './json-rpc.ts';
import { transcriptViewUri } from './transcript-view.ts';

/** Revisions with `initialize`, newest first. 2025-03-26 is missing: it is the only one that obliges to take batches. */
export const negotiatedRevisions = ['2025-11-25', '2025-06-18', '2024-11-05'] as const;
/** The revision without sessions: every request names it. */
const statelessRevision = '2026-07-28';
export const supportedRevisions = [statelessRevision, ...negotiatedRevisions] as const;

/** A client that sends no header is taken for one of this revision, so it may say so too. */
const assumedRevision = '2025-03-26';

const inMeta = 'io.modelcontextprotocol/';

export type Era = 'negotiated' | 'stateless';

/**
 * Which kind of revision a message speaks. The body decides, the headers must agree. Throws `RpcError` with status 400
 * for a revision that is not offered, and for headers that contradict the body.
 */
export const eraOf = (message: RpcMessage, headers: IncomingHttpHeaders): Era => {
  const header = headers['mcp-protocol-version'];
  const named = typeof header === 'string' ? header : null;
  const params = message.kind === 'response' ? {} : message.params;
  const claimed = metaOf(params)[`${inMeta}protocolVersion`];
  const isDiscovery = message.kind === 'request' && message.method === 'server/discover';
  const isStateless = claimed !== undefined || isDiscovery || (named !== null && named >= statelessRevision);
  if (!isStateless) {
    const isKnown = named === null || named === assumedRevision || negotiatedRevisions.some((one) => one === named);
    if (!isKnown) throw unsupported(named);
    return 'negotiated';
  }
  if (named !== null && named !== statelessRevision && claimed === undefined) {
    throw unsupported(named);
  }
  if (message.kind === 'request') checkStateless(message.method, params, headers);
  return 'stateless';
};

const unsupported = (requested: unknown): RpcError =>
  new RpcError(rpcCodes.unsupportedProtocolVersion, 'Unsupported protocol version', {
    status: 400,
    data: { supported: supportedRevisions, requested: String(requested).slice(0, 100) },
  });

/** What revision 2026-07-28 wants of a request: its `_meta`, and headers that say the same as the body. */
const checkStateless = (method: string, params: RpcParams, headers: IncomingHttpHeaders): void => {
  const meta = metaOf(params);
  const claimed = meta[`${inMeta}protocolVersion`];
  const badMeta = (message: string): RpcError => new RpcError(rpcCodes.invalidParams, message, { status: 400 });
  if (typeof claimed !== 'string') {
    throw badMeta(`_meta["${inMeta}protocolVersion"] must be given.`);
  }
  if (headers['mcp-protocol-version'] !== claimed) {
    throw mismatch('MCP-Protocol-Version', `_meta["${inMeta}protocolVersion"]`);
  }
  if (claimed !== statelessRevision) throw unsupported(claimed);
  const capabilities = meta[`${inMeta}clientCapabilities`];
  if (capabilities === null || typeof capabilities !== 'object') {
    throw badMeta(`_meta["${inMeta}clientCapabilities"] must be an object.`);
  }
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method', 'method');
  const member = namingMembers.get(method);
  if (member === undefined) return;
  const wanted = params[member];
  if (typeof wanted === 'string' && decoded(headers['mcp-name']) !== wanted) {
    throw mismatch('Mcp-Name', `params.${member}`);
  }
};

/** What the client of a request in revision 2026-07-28 can do; nothing in other revisions. */
const capabilitiesIn = (params: RpcParams): RpcParams => {
  const meta = metaOf(params);
  const capabilities = meta[`${inMeta}clientCapabilities`];
  return meta[`${inMeta}protocolVersion`] === statelessRevision && isObject(capabilities) ? capabilities : {};
};

/** Whether the client of a request declares an extension of the protocol. */
export const declaresExtension = (params: RpcParams, name: string): boolean => {
  const { extensions } = capabilitiesIn(params);
  return isObject(extensions) && isObject(extensions[name]);
};

/** Whether the client of a request asks its user what a form asks. */
export const elicits = (params: RpcParams): boolean => {
  const { elicitation } = capabilitiesIn(params);
  return isObject(elicitation) && (Object.keys(elicitation).length === 0 || isObject(elicitation['form']));
};

const mismatch = (header: string, member: string): RpcError =>
  new RpcError(rpcCodes.headerMismatch, `The header ${header} must equal ${member}.`, { status: 400 });

/** A value that no header can hold comes as `=?base64?…?=`. */
const decoded = (header: string | string[] | undefined): string | undefined => {
  if (typeof header !== 'string') return undefined;
  const packed = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header)?.[1];
  return packed === undefined ? header : Buffer.from(packed, 'base64').toString();
};

/** How long a client may keep what every caller is told the same, in milliseconds. */
const listTtlMs = 3_600_000;

const isForAll = ({ method, params }: Pick<RpcRequest, 'method' | 'params'>): boolean =>
  method === 'server/discover' ||
  listMethods.has(method) ||
  (method === 'resources/read' && params['uri'] === transcriptViewUri);

/** The result of a request in the form of its era: revision 2026-07-28 adds members to every result. */
export const resultIn = (
  era: Era,
  request: Pick<RpcRequest, 'method' | 'params'>,
  result: Readonly<Record<string, unknown>>,
  serverInfo: object,
): Readonly<Record<string, unknown>> =>
  era === 'negotiated'
    ? result
    : {
        resultType: 'complete',
        ...result,
        ...(request.method === 'resources/read' ? { ttlMs: 0, cacheScope: 'private' } : {}),
        ...(isForAll(request) ? { ttlMs: listTtlMs, cacheScope: 'public' } : {}),
        _meta: { ...metaOf(result), [`${inMeta}serverInfo`]: serverInfo },
      };
