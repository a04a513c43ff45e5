import type { KeyScope } from '../../../contract/key-scopes.ts';
import { mcpPath } from '../../../contract/oauth.ts';
import type { KeyRing } from '../../../kernel/key-ring.ts';
import { memoizeByObject } from '../../../kernel/memoize.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { requireScope } from '../middleware/authentication.ts';
import type { MiddlewareDeps } from '../middleware/dependencies.ts';
import { isDryRun } from '../middleware/dry-run.ts';
import { recordFailure, reportFailure } from '../middleware/error-handler.ts';
import { type Failure, failureOf } from '../middleware/error-response.ts';
import { answerOnce, fingerprintsOf, idempotencyKeyOf } from '../middleware/idempotency.ts';
import type { HttpResponse } from '../middleware/response.ts';
import type { Application } from '../middleware/route.ts';
import { argumentsFor } from './arguments.ts';
import { failureText, isUncharged } from './failure-text.ts';
import { consentTo, type InputRequired, type PriceAsker } from './price-consent.ts';
import type { ReportProgress, Tool } from './tools/tool.ts';
import { type AnswerParts, noParts } from './transport.ts';

export type ToolDeps = Application<'recordFailure' | 'requestDefaults' | 'requireAuthorization', 'creditsRemaining'> &
  Pick<MiddlewareDeps, 'idempotency' | 'isUnavailable' | 'timeLimitMs' | 'onFault'> & {
    /** The keys that sign the prices that users are asked about. */
    readonly priceKeys: KeyRing;
  };

/** One call of a tool, whatever the message around it. */
export type ToolCall = PriceAsker & {
  readonly scopes: readonly KeyScope[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `_meta["idempotency_key"]` with its path, else the header `Idempotency-Key`; undefined: neither. */
  readonly idempotencyKey: Parameters<typeof idempotencyKeyOf>;
  /** The header `X-Dry-Run`. */
  readonly dryRun: string | string[] | undefined;
  /** Null: the client asked for no progress. */
  readonly report: ReportProgress | null;
};

/** The answer, what the client is to ask first, or the price of a call that asked only that (`X-Dry-Run`). */
type Outcome =
  | { readonly answer: HttpResponse }
  | { readonly failure: Failure }
  | { readonly required: InputRequired }
  | { readonly price: number };

type Arguments = ToolCall['arguments'];

/** Runs a tool as REST runs its route: scope, validation, idempotency key, command. Throws as a command does. */
const run = async (deps: ToolDeps, tool: Tool, asked: ToolCall, known: Arguments): Promise<Outcome> => {
  const { call, report } = asked;
  requireScope(asked, tool.scope);
  const work = tool.prepare(known);
  if (tool.credits > 0) {
    if (isDryRun({ 'x-dry-run': asked.dryRun })) return { price: await tool.quote(known, call) };
    const { askAboveCredits: askAbove } = await deps.commands.requestDefaults(call.accountId);
    const required = await consentTo({ tool, asked, known, askAbove, keys: deps.priceKeys });
    if (required !== null) return { required };
  }
  const key = idempotencyKeyOf(...asked.idempotencyKey);
  if (key === null) return { answer: await work(call, report) };
  const scope = { accountId: call.accountId, route: `POST ${mcpPath}`, key };
  const fingerprints = fingerprintsOf('POST', `${mcpPath} ${tool.name}`, known);
  const { requestId } = call;
  const under = { scope, fingerprints, call, requestId, reread: null };
  const answer = await answerOnce(deps, under, (once) => work(once, report));
  return answer.status < 400 ? { answer } : { failure: storedFailure(answer) };
};

/** What `run` resolves to, or the failure that usage has counted. Throws only when the call was aborted: nobody waits for it then. */
const outcomeOf = async (deps: ToolDeps, tool: Tool, asked: ToolCall, known: Arguments): Promise<Outcome> => {
  const { call } = asked;
  try {
    return await run(deps, tool, asked, known);
  } catch (error) {
    if (call.signal.aborted) throw error;
    const failure = reportFailure(deps, error, { requestId: call.requestId, route: mcpPath });
    if (tool.operation !== null) await recordFailure(deps, call, tool.operation, failure.code);
    return { failure };
  }
};

/** A refusal that was kept under an idempotency key. */
const storedFailure = ({ body }: HttpResponse): Failure => {
  const { error } = JSON.parse(String(body)) as { readonly error: Pick<Refusal, 'code' | 'message' | 'details'> };
  return failureOf(new Refusal(error.code, error.message, error.details), () => false);
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
} & AnswerParts;

/** A result without structuredContent: a client would hold it against the schema of the answer. */
const errorResult = (text: string, _meta: CalledTool['result']['_meta']): CalledTool => ({
  result: { content: [{ type: 'text', text }], isError: true, _meta },
  text: () => text,
  ...noParts,
});

/** Calls a tool: the text, the same as JSON where the tool has a schema, and what it cost. */
export const callTool = async (deps: ToolDeps, tool: Tool, asked: ToolCall): Promise<CalledTool> => {
  const { requestId: request_id, accountId } = asked.call;
  const { known, ignored } = argumentsFor(tool, asked.arguments);
  const outcome = await outcomeOf(deps, tool, asked, known);
  const credits_remaining = await deps.queries.creditsRemaining(accountId).catch(() => null);
  const unpaid = { credits_charged: 0, credits_remaining, request_id };
  const ignoredArguments = ignored.length === 0 ? {} : { ignored_arguments: ignored };
  if ('required' in outcome) {
    return { result: { ...outcome.required, _meta: unpaid }, text: () => '', ...noParts };
  }
  if ('price' in outcome) {
    const { price } = outcome;
    const text = `Dry run: ${tool.name} costs up to ${price} credits here. Nothing was done, nothing was charged; a call without X-Dry-Run executes it.`;
    // An error, because a result has to have the schema of the answer.
    return errorResult(text, { dry_run: true, credits: price, ...unpaid, ...ignoredArguments });
  }
  if ('failure' in outcome) {
    const { failure } = outcome;
    const { code, message, status, details, retryAfterS } = failure;
    const error = {
      ...{ code, message, http_status: status, request_id, details },
      ...(retryAfterS === null ? {} : { retry_after_s: retryAfterS }),
    };
    const credits_charged = isUncharged(failure) ? 0 : null;
    return errorResult(failureText(failure, request_id), { ...unpaid, credits_charged, error, ...ignoredArguments });
  }
  const { answer } = outcome;
  const text = (): string => String(answer.body ?? '');
  const headers = receiptOf(answer);
  const _meta = {
    credits_charged: Number(headers['X-Credits-Charged'] ?? 0),
    credits_remaining,
    request_id,
    charge_event: headers['X-Credits-Event'] ?? null,
    cached: answer.isCacheHit,
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
const escaped = memoizeByObject((body: Buffer) => Buffer.from(JSON.stringify(body.toString())));

const receiptNames = ['X-Credits-Charged', 'X-Credits-Event', 'Idempotent-Replayed'] as const;

const receiptOf = ({ headers }: HttpResponse): Record<string, string> => {
  const receipt: Record<string, string> = {};
  for (const name of receiptNames) {
    const value = headers[name];
    if (typeof value === 'string') receipt[name] = value;
  }
  return receipt;
};
