import type { CallCancellations } from '../../../kernel/call-cancellations.ts';
import type { RpcId, RpcMessage } from './json-rpc.ts';

type Notification = Extract<RpcMessage, { readonly kind: 'notification' }>;

/** Who calls: nobody else can cancel the call. Two machines may share a key, and choose the same ids. */
export type Caller = { readonly keyId: string; readonly address: string };

/**
 * The calls under way in this process, so that `notifications/cancelled`, which comes as a request of its own, finds
 * the one it means; one that is not here may be under way in another process. Clients choose ids themselves: where two
 * calls of a caller have the same id, neither is cancelled.
 */
export const runningCalls = (cancellations: CallCancellations) => {
  const running = new Map<string, Set<AbortController>>();

  /** False: no call of that name is under way here. */
  const cancel = (name: string): boolean => {
    const [call, another] = running.get(name) ?? [];
    if (another === undefined) call?.abort();
    return call !== undefined;
  };
  cancellations.onReceived(cancel);

  return {
    /** Does the work of a call until `signal` aborts, which rejects; null: the client cancelled it. */
    async run<Result>(
      { caller, id }: { readonly caller: Caller; readonly id: RpcId },
      signal: AbortSignal,
      work: (signal: AbortSignal) => Promise<Result>,
    ): Promise<Result | null> {
      signal.throwIfAborted();
      const name = nameOf(caller, id);
      const cancelled = new AbortController();
      const same = running.get(name) ?? new Set();
      running.set(name, same.add(cancelled));
      const { promise, resolve, reject } = Promise.withResolvers<Result | null>();
      cancelled.signal.addEventListener('abort', () => resolve(null));
      signal.addEventListener('abort', () => reject(signal.reason));
      work(AbortSignal.any([signal, cancelled.signal])).then(resolve, reject);
      return promise.finally(() => {
        same.delete(cancelled);
        if (same.size === 0 && running.get(name) === same) running.delete(name);
      });
    },
    /** Does what a notification asks for; all but a cancellation ask for nothing. */
    async obey(caller: Caller, { method, params }: Notification): Promise<void> {
      const { requestId } = params;
      if (method !== 'notifications/cancelled') return;
      if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
      const name = nameOf(caller, requestId);
      if (!cancel(name)) await cancellations.send(name);
    },
  };
};

/** Ids of JSON-RPC are texts or numbers, and `"1"` is not `1`. */
const nameOf = ({ keyId, address }: Caller, id: RpcId): string =>
  `${keyId} ${address} ${JSON.stringify(id)}`;
