import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';

export type Services = AsyncDisposable & {
  /** Where they come from, for a person. */
  readonly source: string;
  readonly postgresUrls: readonly string[];
  readonly redisUrl: string;
};

const postgresVersions = ['15', '16', '17', '18'];
const password = 'steno';

/** Every supported Postgres and a Redis as containers; null where no Docker engine answers. */
export const startContainers = async (): Promise<Services | null> => {
  const isThere = await getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  await using stack = new AsyncDisposableStack();
  const kept = (container: StartedTestContainer): StartedTestContainer => {
    stack.defer(async () => void (await container.stop()));
    return container;
  };
  const redis = kept(await new GenericContainer('redis:8-alpine').withExposedPorts(6379).start());
  const postgresUrls: string[] = [];
  for (const version of postgresVersions) {
    const container = kept(
      await new GenericContainer(`postgres:${version}-alpine`)
        .withEnvironment({ POSTGRES_PASSWORD: password })
        .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=400'])
        .withExposedPorts(5432)
        // The image starts the server twice: once to make the cluster, and once to stay.
        .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
        .start(),
    );
    postgresUrls.push(
      `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    );
  }
  const redisUrl = `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`;
  const parts = stack.move();
  return {
    source: `containers of Postgres ${postgresVersions.join(', ')} and Redis 8`,
    postgresUrls,
    redisUrl,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};
