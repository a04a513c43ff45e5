import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** A connection that has sent these bytes and reads no answer until `read` is called. */
export const unread = (port: number, bytes: string) => {
  const socket = connect({ port, host: '127.0.0.1' }).pause();
  socket.on('error', () => undefined);
  socket.write(bytes);
  return {
    socket,
    [Symbol.dispose]: () => void socket.destroy(),
    /** Everything that is answered until the text matches. */
    async read(until: RegExp): Promise<string> {
      let told = '';
      socket.on('data', (chunk: Buffer) => {
        told += chunk.toString('latin1');
      });
      socket.resume();
      while (!until.test(told) && !socket.closed) await pause(2);
      return told;
    },
  };
};

/** The longest turn of the event loop but two, which may have held a garbage collection, in time of the processor. */
export const longestTurnMs = async (turns: number): Promise<number> => {
  const turnsMs: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const before = process.threadCpuUsage();
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    turnsMs.push((user + system) / 1_000);
  }
  return turnsMs.toSorted((a, b) => b - a)[2] ?? 0;
};
