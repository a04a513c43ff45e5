import type { KeyScope } from '../../../contract/key-scopes.ts';
import type { KeyRing } from '../../../kernel/key-ring.ts';
import { invalidRequest, Refusal, type RefusalCode } from '../../../kernel/refusal.ts';
import type { Queries } from '../../../queries.ts';
import { requireScope } from '../middleware/authentication.ts';
import type { MiddlewareDeps } from '../middleware/dependencies.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { recordFailure } from '../middleware/error-handler.ts';
import { type Failure, failureOf } from '../middleware/error-response.ts';
import { answerOnce, fingerprintsOf, idempotencyKeyOf } from '../middleware/idempotency.ts';
import type { HttpResponse } from '../middleware/response.ts';
import { argumentsFor } from './arguments.ts';
import { failureText } from './failure-text.ts';
import { consentTo, type InputRequired, type PriceAsker } from './price-consent.ts';
import type { ReportProgress, Tool } from './tools/tool.ts';
import type { Exchange } from './transport.ts';

export type ToolDeps = Pick<
  MiddlewareDeps,
  'commands' | 'idempotency' | 'isUnavailable' | 'timeLimitMs' | 'onFault'
> & {
  readonly queries: Pick<Queries, 'creditsRemaining'>;
  /** The price above which an account wants to be asked; null: none. */
  readonly askAboveCredits: (accountId: string) => Promise<number | null>;
  /** The keys that sign the prices that users are asked about. */
  readonly priceKeys: KeyRing;
};

/** One call of a tool, whatever the message around it. */
export type ToolCall = PriceAsker & {
  readonly scopes: readonly KeyScope[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `_meta["idempotency_key"]`, else the header `Idempotency-Key`; undefined: neither. */
  readonly idempotencyKey: unknown;
  /** The header `X-Dry-Run`. */
  readonly dryRun: string | string[] | undefined;
  /** Null: the client asked for no progress. */
  readonly report: ReportProgress | null;
};

/** The path of the endpoint; an `Idempotency-Key` counts under it. */
export const mcpPath = '/mcp';

/** What a call would cost at most: it only asked that. */
type DryRun = { readonly price: number };

/** Runs a tool as REST runs its route: scope, validation, idempotency key, command. Throws as a command does. */
const answerOf = async (
  deps: ToolDeps,
  tool: Tool,
  asked: ToolCall,
  known: Readonly<Record<string, unknown>>,
): Promise<HttpResponse | InputRequired | DryRun> => {
  const { call } = asked;
  requireScope(asked, tool.scope);
  const work = tool.prepare(known);
  if (tool.credits > 0 && isDryRun({ 'x-dry-run': asked.dryRun })) return { price: await tool.quote(known)(call) };
  const askAbove = tool.credits === 0 ? null : await deps.askAboveCredits(call.accountId);
  const required = await consentTo({ tool, asked, known, askAbove, keys: deps.priceKeys });
  if (required !== null) return required;
  const key = keyOf(asked.idempotencyKey);
  if (key === null) return work(call, asked.report);
  const scope = { accountId: call.accountId, route: `POST ${mcpPath}`, key };
  const fingerprints = fingerprintsOf('POST', `${mcpPath} ${tool.name}`, known);
  const { requestId } = call;
  return answerOnce(deps, { scope, fingerprints, call, requestId, reread: null }, (once) => work(once, asked.report));
};

type Outcome =
  | { readonly answer: HttpResponse }
  | { readonly failure: Failure }
  | { readonly required: InputRequired }
  | DryRun;

/** The answer, what the client is to ask first, the price of a dry run, or the failure that usage has counted. Throws only when the call was aborted: nobody waits for it then. */
const answerOrFailure = async (
  deps: ToolDeps,
  tool: Tool,
  asked: ToolCall,
  known: Readonly<Record<string, unknown>>,
): Promise<Outcome> => {
  const { call } = asked;
  try {
    const answer = await answerOf(deps, tool, asked, known);
    if ('resultType' in answer) return { required: answer };
    if ('price' in answer) return answer;
    return answer.status < 400 ? { answer } : { failure: storedFailure(answer) };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const failure = failureOf(error, deps.isUnavailable);
    const { isFault, isOutage } = failure;
    if (isFault || isOutage) {
      deps.onFault({ requestId: call.requestId, route: mcpPath, error, isOutage });
    }
    if (tool.operation !== null) await recordFailure(deps, call, tool.operation, failure.code);
    return { failure };
  }
};

const keyOf = (given: unknown): string | null => {
  if (given === undefined || typeof given === 'string') return idempotencyKeyOf(given);
  const message = '_meta.idempotency_key must be 1 to 255 visible ASCII characters.';
  throw invalidRequest(message, { path: '_meta.idempotency_key', code: 'malformed' });
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

/** What a client gets for a call: the result of `tools/call`, its text, and the headers of the HTTP answer. */
export type CalledTool = {
  readonly result: {
    readonly content?: readonly unknown[];
    readonly isError?: boolean;
    readonly _meta: Record<string, unknown>;
  };
  readonly text: () => string;
  /** `keptText`: the text of the content as JSON, where its bytes are kept. */
} & Pick<Exchange, 'keptText' | 'structuredContent' | 'headers' | 'isCacheHit'>;

const asWritten = { keptText: null, structuredContent: null };

/** Calls a tool: the text, the same as JSON where the tool has a schema, and what it cost. */
export const callTool = async (deps: ToolDeps, tool: Tool, asked: ToolCall): Promise<CalledTool> => {
  const { requestId: request_id, accountId } = asked.call;
  const { known, ignored } = argumentsFor(tool, asked.arguments);
  const outcome = await answerOrFailure(deps, tool, asked, known);
  const remaining = await deps.queries.creditsRemaining(accountId).catch(() => null);
  const balance = remaining === null ? {} : { credits_remaining: remaining };
  const ignoredArguments = ignored.length === 0 ? {} : { ignored_arguments: ignored };
  if ('required' in outcome) {
    const result = { ...outcome.required, _meta: { credits_charged: 0, ...balance, request_id } };
    return { result, text: () => '', ...asWritten, headers: {}, isCacheHit: null };
  }
  if ('price' in outcome) {
    const { price } = outcome;
    const text = `Dry run: ${tool.name} costs up to ${price} credits here. Nothing was done, nothing was charged; a call without X-Dry-Run executes it.`;
    const _meta = { dry_run: true, credits: price, credits_charged: 0, ...balance, request_id, ...ignoredArguments };
    // An error, because a result has to have the schema of the answer.
    const result = { content: [{ type: 'text', text }], isError: true, _meta };
    return { result, text: () => text, ...asWritten, headers: {}, isCacheHit: null };
  }
  if ('failure' in outcome) {
    const { failure } = outcome;
    const { code, message, status, details, retryAfterS } = failure;
    const error = {
      ...{ code, message, http_status: status, request_id, details },
      ...(retryAfterS === null ? {} : { retry_after_s: retryAfterS }),
    };
    const text = failureText(failure, request_id);
    const _meta = { credits_charged: 0, ...balance, request_id, error, ...ignoredArguments };
    // Without structuredContent: a client would hold it against the schema of the answer.
    const result = { content: [{ type: 'text', text }], isError: true, _meta };
    return { result, text: () => text, ...asWritten, headers: {}, isCacheHit: null };
  }
  const { answer } = outcome;
  const text = (): string => String(answer.body ?? '');
  const headers = receiptOf(answer);
  const _meta = {
    credits_charged: Number(headers['X-Credits-Charged'] ?? 0),
    ...balance,
    request_id,
    charge_event: headers['X-Credits-Event'] ?? null,
    ...(answer.isCacheHit === null ? {} : { cached: answer.isCacheHit }),
    ...('Idempotent-Replayed' in headers ? { idempotent_replayed: true } : {}),
    ...ignoredArguments,
  };
  const { body, isCacheHit } = answer;
  const keptText = Buffer.isBuffer(body) ? escaped(body) : null;
  // A kept text is decoded only by who writes the content itself: answers of tools/call have its bytes.
  const content = [{ type: 'text', text: keptText === null ? text() : { toJSON: text } }];
  const structuredContent = tool.definition.outputSchema === undefined ? null : (body ?? '');
  return { result: { content, _meta }, text, keptText, structuredContent, headers, isCacheHit };
};

/** Bytes that are kept are answered again and again: their text is escaped once. */
const escapedTexts = new WeakMap<Buffer, Buffer>();

const escaped = (body: Buffer): Buffer => {
  const known = escapedTexts.get(body) ?? Buffer.from(JSON.stringify(body.toString()));
  escapedTexts.set(body, known);
  return known;
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
