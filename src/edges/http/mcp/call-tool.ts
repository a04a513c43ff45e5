import type { Call } from '../../../kernel/call.ts';
import { invalidRequest, Refusal, type RefusalCode } from '../../../kernel/refusal.ts';
import type { KeyScope, Queries } from '../../../queries.ts';
import { requireScope } from '../middleware/authentication.ts';
import type { MiddlewareDeps } from '../middleware/dependencies.ts';
import { recordFailure } from '../middleware/error-handler.ts';
import { type Failure, failureOf, statusOf } from '../middleware/error-response.ts';
import { answerOnce, fingerprintsOf, idempotencyKeyOf } from '../middleware/idempotency.ts';
import type { HttpResponse } from '../middleware/response.ts';
import { argumentsFor } from './arguments.ts';
import { failureText } from './failure-text.ts';
import { ReadyJson } from './ready-json.ts';
import type { Tool } from './tools/tool.ts';

export type ToolDeps = Pick<
  MiddlewareDeps,
  'commands' | 'idempotency' | 'isUnavailable' | 'onFault'
> & {
  readonly queries: Pick<Queries, 'creditsRemaining'>;
};

/** One call of a tool, whatever the message around it. */
export type ToolCall = {
  readonly call: Call;
  readonly scopes: readonly KeyScope[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `_meta["idempotency_key"]`, else the header `Idempotency-Key`; undefined: neither. */
  readonly idempotencyKey: unknown;
};

/** The path of the endpoint; an `Idempotency-Key` counts under it. */
export const mcpPath = '/mcp';

/** What became of a call: the answer, or why there is none. */
export type ToolOutcome = {
  readonly ignored: readonly string[];
} & (
  | { readonly kind: 'answer'; readonly answer: HttpResponse }
  | { readonly kind: 'failure'; readonly failure: Failure }
);

/**
 * Runs a tool as REST runs its route: scope, validation, idempotency key, command. A failure is counted by usage and
 * returned. Throws only when the call was aborted: nobody waits for its result then.
 */
export const runTool = async (
  deps: ToolDeps,
  tool: Tool,
  asked: ToolCall,
): Promise<ToolOutcome> => {
  const { call } = asked;
  const { known, ignored } = argumentsFor(tool, asked.arguments);
  try {
    requireScope(asked, tool.scope);
    const work = tool.prepare(known);
    const key = keyOf(asked.idempotencyKey);
    const answer =
      key === null ? await work(call) : await once(deps, { tool, call, key, known }, work);
    if (answer.status < 400) return { kind: 'answer', answer, ignored };
    return { kind: 'failure', failure: storedFailure(answer), ignored };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const failure = failureOf(error, deps.isUnavailable);
    if (failure.isFault) deps.onFault({ requestId: call.requestId, route: mcpPath, error });
    await recordFailure(deps, call, tool.operation, failure.code);
    return { kind: 'failure', failure, ignored };
  }
};

const keyOf = (given: unknown): string | null => {
  if (given === undefined || typeof given === 'string') return idempotencyKeyOf(given);
  const message = '_meta.idempotency_key takes 1 to 255 visible ASCII characters.';
  throw invalidRequest(message, { path: '_meta.idempotency_key', code: 'malformed' });
};

const once = (
  deps: ToolDeps,
  of: {
    readonly tool: Tool;
    readonly call: Call;
    readonly key: string;
    readonly known: Readonly<Record<string, unknown>>;
  },
  work: (call: Call) => Promise<HttpResponse>,
): Promise<HttpResponse> => {
  const { tool, call, key, known } = of;
  const scope = { accountId: call.accountId, route: `POST ${mcpPath}`, key };
  const fingerprints = fingerprintsOf('POST', `${mcpPath} ${tool.name}`, known);
  const { requestId } = call;
  return answerOnce(deps, { scope, fingerprints, call, requestId, reread: null }, work);
};

/** A refusal that was kept under an idempotency key. */
const storedFailure = ({ body }: HttpResponse): Failure => {
  const { error } = JSON.parse(String(body)) as {
    readonly error: {
      readonly code: RefusalCode;
      readonly message: string;
      readonly details: Record<string, unknown> | null;
    };
  };
  const isUnavailable = (): boolean => false;
  return failureOf(new Refusal(error.code, error.message, error.details), isUnavailable);
};

/** What a client gets for a call: the result of `tools/call`, and the headers of the HTTP answer. */
export type Rendered = {
  readonly result: {
    readonly content: ReadyJson;
    readonly structuredContent?: ReadyJson;
    readonly isError?: boolean;
    readonly _meta: Record<string, unknown>;
  };
  /** The text of the content. */
  readonly text: () => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCacheHit: boolean | null;
};

/** Calls a tool and writes its result: the text, the same as JSON where the tool has a schema, and what it cost. */
export const callTool = async (deps: ToolDeps, tool: Tool, asked: ToolCall): Promise<Rendered> => {
  const { requestId, accountId } = asked.call;
  const outcome = await runTool(deps, tool, asked);
  const ignored = outcome.ignored.length === 0 ? {} : { ignored_arguments: outcome.ignored };
  const remaining = await deps.queries.creditsRemaining(accountId).catch(() => null);
  const balance = remaining === null ? {} : { credits_remaining: remaining };
  if (outcome.kind === 'failure') {
    const { failure } = outcome;
    const { code, message, details, retryAfterS } = failure;
    const status = code === 'INTERNAL_ERROR' ? 500 : statusOf[code];
    const error = {
      ...{ code, message, http_status: status, request_id: requestId, details },
      ...(retryAfterS === null ? {} : { retry_after_s: retryAfterS }),
    };
    const text = failureText(failure, requestId);
    return {
      // Without structuredContent: a client would hold it against the schema of the answer.
      result: {
        content: contentOf(text),
        isError: true,
        _meta: { credits_charged: 0, ...balance, request_id: requestId, error, ...ignored },
      },
      text: () => text,
      headers: {},
      isCacheHit: null,
    };
  }
  const { answer } = outcome;
  const body = answer.body ?? '';
  const headers = receiptOf(answer);
  return {
    result: {
      content: contentOf(body),
      ...(tool.definition.outputSchema === undefined
        ? {}
        : { structuredContent: new ReadyJson(body) }),
      _meta: {
        credits_charged: Number(headers['X-Credits-Charged'] ?? 0),
        ...balance,
        request_id: requestId,
        charge_event: headers['X-Credits-Event'] ?? null,
        ...(answer.isCacheHit === null ? {} : { cached: answer.isCacheHit }),
        ...('Idempotent-Replayed' in headers ? { idempotent_replayed: true } : {}),
        ...ignored,
      },
    },
    text: () => body.toString(),
    headers,
    isCacheHit: answer.isCacheHit,
  };
};

/** Bytes that are kept are answered again and again: their content is written once. */
const contents = new WeakMap<Buffer, ReadyJson>();

const contentOf = (body: Buffer | string): ReadyJson => {
  const known = typeof body === 'string' ? undefined : contents.get(body);
  if (known !== undefined) return known;
  const content = new ReadyJson(JSON.stringify([{ type: 'text', text: body.toString() }]));
  if (typeof body !== 'string') contents.set(body, content);
  return content;
};

const receiptNames = ['X-Credits-Charged', 'X-Credits-Event', 'Idempotent-Replayed'] as const;

const receiptOf = ({ headers }: HttpResponse): Record<string, string> => {
  const receipt: Record<string, string> = {};
  for (const name of receiptNames) {
    const value = headers[name];
    if (typeof value === 'string') receipt[name] = value;
  }
  return receipt;
};
