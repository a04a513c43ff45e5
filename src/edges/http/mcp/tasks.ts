import { startedByTool, startJobTool } from '../../../contract/agent-tools.ts';
import { cancelJob, jobParams } from '../../../contract/jobs.ts';
import { mcpPath } from '../../../contract/oauth.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { isTerminal, type ShownJob } from '../../../queries.ts';
import { requireScope } from '../middleware/authentication.ts';
import { reportFailure } from '../middleware/error-handler.ts';
import type { Application } from '../middleware/route.ts';
import type { CalledTool, ToolDeps } from './call-tool.ts';
import { failureText } from './failure-text.ts';
import { RpcError, type RpcParams, rpcCodes } from './json-rpc.ts';
import { declaresExtension, type Era } from './revisions.ts';
import type { Tool } from './tools/tool.ts';
import type { Exchange } from './transport.ts';

/** The extension in which a job is a task: its id names the task, and the job is all that is stored of it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The scope that methods of tasks need. */
export const taskScope = cancelJob.scope;

const pollIntervalMs = 2_000;

/** A job that failed as a whole is a completed task, whose result is an error: `failed` is for errors of JSON-RPC. */
const statusOf = (job: ShownJob): 'working' | 'completed' | 'cancelled' => {
  if (!isTerminal(job)) return 'working';
  return job.status === 'cancelled' ? 'cancelled' : 'completed';
};

const taskOf = (job: ShownJob) => ({
  taskId: job.jobId,
  status: statusOf(job),
  statusMessage: `${job.status}: ${job.completedItems + job.failedItems} of ${job.totalItems} videos have ended`,
  createdAt: job.createdAt,
  lastUpdatedAt: job.updatedAt,
  ttlMs: null,
  pollIntervalMs,
});

/** Refuses a method of tasks to a client that has not declared the extension, and in revisions without it. */
export const requireTasks = (era: Era, params: RpcParams): void => {
  if (era !== 'stateless') throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
  if (declaresExtension(params, tasksExtension)) return;
  const data = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
  throw new RpcError(rpcCodes.missingClientCapability, 'Missing required client capability', { status: 400, data });
};

type Result = Readonly<Record<string, unknown>>;

/** Whether a call is answered by a task: it starts a job, for a client that has declared the extension. */
export const startsTask = ({ name }: Pick<Tool, 'name'>, params: RpcParams): boolean =>
  name === startJobTool.name && declaresExtension(params, tasksExtension);

/** The result of such a call; that of the tool where no job was started. */
export const createdTask = async (
  { queries }: Application<never, 'job'>,
  { accountId }: Call,
  { result, text }: CalledTool,
): Promise<Result> => {
  // A refusal, or a price to agree to.
  if (result.content === undefined || result.isError === true) return result;
  const { job_id: jobId } = startedByTool.parse(JSON.parse(text()));
  // The job has started: where its state cannot be read, its id is answered.
  const started = await queries.job(accountId, jobId).catch(() => null);
  return started === null ? result : { resultType: 'task', ...taskOf(started), _meta: result._meta };
};

/**
 * The result of a method of tasks. A task of another account is unknown. No task ever waits for input: an update is
 * acknowledged and changes nothing. `resultOf` is asked for the results of a job that is over.
 */
export const taskResult = async (
  deps: ToolDeps & Application<'cancelJob', 'job'>,
  { call, request, requestInfo }: Exchange,
  resultOf: (jobId: string) => Promise<Result>,
): Promise<Result> => {
  try {
    requireScope(requestInfo, taskScope);
    const { data: named } = jobParams.safeParse({ jobId: request.params['taskId'] });
    if (named === undefined) throw new Refusal('JOB_NOT_FOUND', 'This account has no job with this id.');
    const job = await deps.queries.job(call.accountId, named.jobId);
    if (request.method === 'tasks/cancel') await deps.commands.cancelJob(call, named);
    if (request.method !== 'tasks/get') return {};
    const task = taskOf(job);
    if (task.status !== 'completed') return task;
    // Clients want the result of the call as a response would have it.
    const result = { resultType: 'complete', ...(await resultOf(job.jobId)) };
    return { ...task, result: job.status === 'failed' ? { ...result, isError: true } : result };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const { requestId } = call;
    const failure = reportFailure(deps, error, { requestId, route: mcpPath });
    const { code } = failure;
    const rpcCode = code === 'JOB_NOT_FOUND' ? rpcCodes.invalidParams : rpcCodes.internalError;
    throw new RpcError(rpcCode, failureText(failure, requestId), { data: { code, request_id: requestId } });
  }
};
