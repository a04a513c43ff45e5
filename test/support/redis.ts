import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * How the server behaves: `slow` answers after half a second, `mute` never, `readonly` refuses to write; `half_open`
 * takes connections and says nothing on them, whatever is asked; `failed_over` is a replica on the connections that it
 * has, as the primary of before, and well on others, as who has taken over its name.
 */
export type RedisMood = 'well' | 'slow' | 'mute' | 'readonly' | 'half_open' | 'failed_over';

/** As much of Redis as counting needs, in this process: HELLO/INFO/CLIENT, and the script that counts. */
export type TestRedis = AsyncDisposable & {
  readonly url: string;
  mood: RedisMood;
  /** How it refuses to write; that of Redis 7 unless set. */
  refusal: string;
  /** What it says of itself. */
  info: string;
  /** Scripts run since the start. */
  readonly counted: () => number;
  /** Scripts asked for since the start, answered or not. */
  readonly asked: () => number;
  stop(): Promise<void>;
  start(): Promise<void>;
};

type Kept = { count: number; untilMs: number };

export const testRedis = async (nowMs: () => number): Promise<TestRedis> => {
  const kept = new Map<string, Kept>();
  const sockets = new Set<Socket>();
  const scripts = new Set<string>();
  let counted = 0;
  let asked = 0;
  let mood: RedisMood = 'well';
  let info = 'redis_version:8.0.0\r\nloading:0\r\nrole:master\r\n';
  let refusal =
    "READONLY You can't write against a read only replica. script: a1de, on @user_script:1.";
  const former = new WeakSet<Socket>();

  const count = (args: readonly string[], isReplica: boolean): string => {
    const [, , , name = '', points = '0', seconds = '0'] = args;
    counted += 1;
    if (isReplica) return `-${refusal}\r\n`;
    const known = kept.get(name);
    const entry =
      known !== undefined && known.untilMs > nowMs()
        ? known
        : { count: 0, untilMs: nowMs() + Number(seconds) * 1000 };
    entry.count += Number(points);
    kept.set(name, entry);
    return `*2\r\n:${entry.count}\r\n:${entry.untilMs - nowMs()}\r\n`;
  };

  const answer = (args: readonly string[], isReplica: boolean): string => {
    switch (args[0]?.toLowerCase()) {
      case 'info':
        return bulk(info);
      case 'evalsha':
        return scripts.has(args[1] ?? '')
          ? count(args, isReplica)
          : '-NOSCRIPT No matching script.\r\n';
      case 'eval':
        scripts.add(
          createHash('sha1')
            .update(args[1] ?? '')
            .digest('hex'),
        );
        return count(args, isReplica);
      case 'hello':
        return '%1\r\n+proto\r\n:3\r\n';
      default:
        return '+OK\r\n';
    }
  };

  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let rest = '';
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      for (;;) {
        const read = readCommand(rest);
        if (read === null) return;
        rest = rest.slice(read.length);
        const isCount = read.args[0]?.toLowerCase().startsWith('eval') ?? false;
        if (isCount) asked += 1;
        if (mood === 'half_open' || (mood === 'mute' && isCount)) continue;
        const isReplica = mood === 'readonly' || (mood === 'failed_over' && former.has(socket));
        const said = answer(read.args, isReplica);
        if (mood === 'slow' && isCount) setTimeout(() => socket.write(said), 500);
        else socket.write(said);
      }
    });
  };

  let server: Server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
      for (const socket of sockets) former.add(socket);
    },
    get info() {
      return info;
    },
    set info(next) {
      info = next;
    },
    get refusal() {
      return refusal;
    },
    set refusal(next) {
      refusal = next;
    },
    counted: () => counted,
    asked: () => asked,
    stop,
    async start() {
      server = createServer(serve).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    [Symbol.asyncDispose]: stop,
  };
};

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

/** One command of the protocol, an array of bulk strings; null while it is not complete. */
const readCommand = (text: string): { args: string[]; length: number } | null => {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return null;
  let at = head[0].length;
  const args: string[] = [];
  for (let left = Number(head[1]); left > 0; left -= 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (size === null) return null;
    at += size[0].length;
    const end = at + Number(size[1]);
    if (text.length < end + 2) return null;
    args.push(text.slice(at, end));
    at = end + 2;
  }
  return { args, length: at };
};
