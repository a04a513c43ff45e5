import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres/embedded-postgres.ts';
import { freePort } from '#test/support/free-port.ts';
import { isAlive, usedDataFolder } from '#test/support/program.ts';

/** Tries to start a server whose former sessions may still be ending. */
const startTries = 20;

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

/** A Postgres of this test alone, which it may end as it likes. It keeps its port when it is started again. */
export const startOwnPostgres = async () => {
  await using stack = new AsyncDisposableStack();
  const data = stack.use(await usedDataFolder());
  const settings: Readonly<Record<string, string>> = { port: String(await freePort()), fsync: 'off' };
  const open = () => openEmbeddedPostgres({ dataDir: data.folder, settings });
  let running = await open();
  stack.defer(() => running[Symbol.asyncDispose]());
  const { url, folder } = running;
  const parts = stack.move();
  return {
    ...{ url, folder, dataFolder: data.folder, settings },
    isRunning: async () => (await data.postmasterPid()) !== null,
    /**
     * Ends the server by a signal, unless it has ended by itself, and starts it again: SIGINT and SIGQUIT do as
     * `pg_ctl stop -m fast` and `-m immediate`. `meanwhile` is done while it is down.
     */
    restart: async (signal: NodeJS.Signals, meanwhile: () => Promise<unknown> = () => pause(300)): Promise<void> => {
      const pid = await data.postmasterPid();
      if (pid !== null && isAlive(pid)) process.kill(pid, signal);
      while (pid !== null && isAlive(pid)) await pause(10);
      await meanwhile();
      const gone = running;
      for (let tries = 1; running === gone; tries += 1) {
        running = await open().catch(async (error: unknown) => {
          if (tries === startTries) throw error;
          await pause(250);
          return gone;
        });
      }
      await gone[Symbol.asyncDispose]().catch(() => undefined);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};
