import type { Pool } from 'pg';
import type { CallCancellations } from '../kernel/call-cancellations.ts';

/** The channel of Postgres that carries the names of calls to cancel. */
export const cancellationChannel = 'call_cancellations';
/** Postgres takes no longer notification. The longest name of a call has some 6,300 bytes. */
const maxBytes = 7_999;

/** Cancellations by NOTIFY. `receive` takes the payloads of `cancellationChannel` from the connection that listens. */
export const postgresCallCancellations = ({
  pool,
}: {
  readonly pool: Pool;
}): CallCancellations & { readonly receive: (payload: string) => void } => {
  const listeners: ((callName: string) => void)[] = [];
  return {
    async send(callName) {
      if (Buffer.byteLength(callName) > maxBytes) return;
      await pool.query('SELECT pg_notify($1, $2)', [cancellationChannel, callName]);
    },
    onReceived: (cancel) => void listeners.push(cancel),
    receive(payload) {
      for (const cancel of listeners) cancel(payload);
    },
  };
};
