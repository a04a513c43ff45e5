import type { Command } from 'commander';
import { print, type Terminal } from './terminal.ts';

/** `steno relay`: the relay of the events to a KurrentDB. */
export const addRelay = (relay: Command, terminal: Terminal): void => {
  relay
    .command('status')
    .description('print the progress of the relay to KurrentDB, and the error if it has failed')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const { state, position, lagPositions, lagSeconds, failure } = await application.actions.relayStatus();
      if (json) {
        const lag = { lag_positions: lagPositions, lag_seconds: lagSeconds };
        return await print(terminal, JSON.stringify({ state, position, ...lag, failure }));
      }
      if (state === 'not_configured') return await print(terminal, 'not configured: EVENTSTORE_URL is not set');
      if (state === 'not_started') return await print(terminal, 'not started: no worker has relayed yet');
      await print(terminal, `${state}: at position ${position}, ${lagPositions} positions (${lagSeconds} s) behind`);
      if (failure !== null) await print(terminal, `failure  ${failure}`);
    });
};
