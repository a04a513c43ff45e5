import type { RpcMessage } from './json-rpc.ts';
import type { Exchange } from './transport.ts';

type Notification = Extract<RpcMessage, { readonly kind: 'notification' }>;

/**
 * The calls under way in this process, so that `notifications/cancelled`, which comes as a request of its own, finds
 * the one it means. Clients choose ids themselves: where two calls of a key have the same id, neither is cancelled.
 */
export const runningCalls = () => {
  const running = new Map<string, Set<Exchange>>();
  const nameOf = (keyId: string, id: unknown): string => `${keyId} ${typeof id} ${String(id)}`;
  return {
    add(keyId: string, exchange: Exchange): void {
      const name = nameOf(keyId, exchange.request.id);
      const same = running.get(name) ?? new Set();
      running.set(name, same.add(exchange));
      const remove = (): void => {
        same.delete(exchange);
        if (same.size === 0 && running.get(name) === same) running.delete(name);
      };
      exchange.response.then(remove, remove);
    },
    /** Does what a notification asks for; all but a cancellation ask for nothing. */
    obey(keyId: string, { method, params }: Notification): void {
      if (method !== 'notifications/cancelled') return;
      const [exchange, another] = running.get(nameOf(keyId, params['requestId'])) ?? [];
      if (another === undefined) exchange?.cancel();
    },
  };
};
