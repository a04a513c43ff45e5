import type { Pool } from 'pg';
import type { CallCancellations } from '../../edges/http/mcp/call-cancellations.ts';

/** The NOTIFY channel for the names of calls to cancel. */
export const cancellationChannel = 'call_cancellations';
/** The maximum length of a NOTIFY payload. The longest name of a call has some 6,300 bytes. */
const maxBytes = 7_999;

/** Cancellations by NOTIFY. `receive` handles the payloads that the LISTEN connection gets on `cancellationChannel`. */
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
