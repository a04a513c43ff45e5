import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * How the server behaves: `slow` answers after 500 ms, `mute` never, `readonly` refuses writes; `half_open`
 * accepts connections and never answers on them; `failed_over` is a read-only replica on existing connections
 * (the former primary) and a primary on new ones.
 */
export type RedisMode = 'well' | 'slow' | 'mute' | 'readonly' | 'half_open' | 'failed_over';

/** A Redis server in this process with the commands that the rate limiter uses: HELLO, INFO, CLIENT, EVAL and EVALSHA. */
export type TestRedis = AsyncDisposable & {
  readonly url: string;
  mode: RedisMode;
  /** The error it answers to writes when it is read-only; by default that of Redis 7. */
  refusal: string;
  /** Its answer to INFO. */
  info: string;
  /** Scripts run since the start. */
  readonly counted: () => number;
  /** Scripts asked for since the start, answered or not. */
  readonly asked: () => number;
  stop(): Promise<void>;
  start(): Promise<void>;
};

type Counter = { count: number; untilMs: number };

export const testRedis = async (nowMs: () => number): Promise<TestRedis> => {
  const kept = new Map<string, Counter>();
  const sockets = new Set<Socket>();
  const scripts = new Set<string>();
  let counted = 0;
  let asked = 0;
  let mode: RedisMode = 'well';
  let info = 'redis_version:8.0.0\r\nloading:0\r\nrole:master\r\n';
  let refusal = "READONLY You can't write against a read only replica. script: a1de, on @user_script:1.";
  const former = new WeakSet<Socket>();

  const count = (args: readonly string[], isReplica: boolean): string => {
    const [, , , name = '', points = '0', seconds = '0'] = args;
    counted += 1;
    if (isReplica) return `-${refusal}\r\n`;
    const known = kept.get(name);
    const entry =
      known !== undefined && known.untilMs > nowMs() ? known : { count: 0, untilMs: nowMs() + Number(seconds) * 1000 };
    entry.count += Number(points);
    kept.set(name, entry);
    return `*2\r\n:${entry.count}\r\n:${entry.untilMs - nowMs()}\r\n`;
  };

  const answer = (args: readonly string[], isReplica: boolean): string => {
    switch (args[0]?.toLowerCase()) {
      case 'info':
        return bulk(info);
      case 'evalsha':
        return scripts.has(args[1] ?? '') ? count(args, isReplica) : '-NOSCRIPT No matching script.\r\n';
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
        if (mode === 'half_open' || (mode === 'mute' && isCount)) continue;
        const isReplica = mode === 'readonly' || (mode === 'failed_over' && former.has(socket));
        const said = answer(read.args, isReplica);
        if (mode === 'slow' && isCount) setTimeout(() => socket.write(said), 500);
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
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
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

/** Parses one command, an array of bulk strings; null while it is incomplete. */
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
