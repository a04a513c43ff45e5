import { Redis } from 'ioredis';

/** What is checked of a Redis server. */
export type RedisInfo = {
  readonly version: string;
  /** A replica refuses to write. */
  readonly isReplica: boolean;
  /** 0: no limit. */
  readonly maxMemoryBytes: number;
  readonly evictionPolicy: string;
};

const connectionName = 'steno doctor';

/** Asks a Redis server, each step within `timeoutMs`. Throws when it cannot be reached or does not answer in time. */
export const readRedisInfo = async (url: string, timeoutMs: number): Promise<RedisInfo> => {
  const client = new Redis(url, {
    connectionName,
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | null = null;
  client.on('error', (error: Error) => {
    lost = error;
  });
  try {
    await client.connect();
    await client.ping();
    const fields = fieldsOf(await client.info());
    return {
      version: fields.get('redis_version') ?? 'of an unknown version',
      isReplica: fields.get('role') === 'slave',
      maxMemoryBytes: Number(fields.get('maxmemory') ?? 0),
      evictionPolicy: fields.get('maxmemory_policy') ?? 'noeviction',
    };
  } catch (error) {
    throw lost ?? error;
  } finally {
    client.disconnect();
  }
};

const fieldsOf = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split('\r\n').flatMap((line) => {
      const [name, value] = line.split(':', 2);
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
