import type { CallCancellations } from './call-cancellations.ts';
import type { RpcMessage } from './json-rpc.ts';
import type { Exchange } from './transport.ts';

type Notification = Extract<RpcMessage, { readonly kind: 'notification' }>;

/** Who calls: nobody else can cancel the call. Two machines may share a key, and choose the same ids. */
export type Caller = { readonly keyId: string; readonly address: string };

/**
 * The calls under way in this process, so that `notifications/cancelled`, which comes as a request of its own, finds
 * the one it means; one that is not here may be under way in another process. Clients choose ids themselves: where two
 * calls of a caller have the same id, neither is cancelled.
 */
export const runningCalls = (cancellations: CallCancellations) => {
  const running = new Map<string, Set<Exchange>>();

  /** False: no call of that name is under way here. */
  const cancel = (name: string): boolean => {
    const [exchange, another] = running.get(name) ?? [];
    if (another === undefined) exchange?.cancel();
    return exchange !== undefined;
  };
  cancellations.onReceived(cancel);

  return {
    add(caller: Caller, exchange: Exchange): void {
      const name = nameOf(caller, exchange.request.id);
      const same = running.get(name) ?? new Set();
      running.set(name, same.add(exchange));
      const remove = (): void => {
        same.delete(exchange);
        if (same.size === 0 && running.get(name) === same) running.delete(name);
      };
      exchange.response.then(remove, remove);
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
const nameOf = ({ keyId, address }: Caller, id: string | number): string => `${keyId} ${address} ${JSON.stringify(id)}`;
