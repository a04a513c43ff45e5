import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../app.ts';
import { type Config, loadConfig, readEnvironment } from '../config.ts';
import type { McpServer } from '../edges/cli/mcp.ts';
import { newToken, newUuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ApplicationCore } from './application-core.ts';

/** The settings of a service for one person: in a folder of theirs, wherever the client that starts it may run. */
export const localConfig = (): Config => {
  const environment = readEnvironment();
  const config = loadConfig({ DATA_DIR: join(homedir(), '.steno'), ...environment });
  return { ...config, host: '127.0.0.1', port: 0, publicUrl: null, role: 'api' };
};

/** Starts the service in this process for one local client, with an account that is made the first time. */
export const startLocalMcp = async (
  config: Config,
  { logger }: { readonly logger: Logger },
): Promise<McpServer & AsyncDisposable> => {
  const app = await startApp(config, { logger });
  if (app.url === null) throw new Error('the service listens nowhere');
  const key = await localKey(app.core, config.dataDir);
  return { url: `${app.url}/mcp`, key, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
};

/** The key of an earlier start while it is good, else that of a new account. Readable for its owner only. */
const localKey = async (
  { commands, queries }: ApplicationCore,
  dataDir: string,
): Promise<string> => {
  const path = join(dataDir, 'local-key.json');
  if (existsSync(path)) {
    const { api_key: kept } = JSON.parse(readFileSync(path, 'utf8')) as { api_key?: unknown };
    if (typeof kept === 'string' && (await queries.findKeyHolder(kept)) !== null) return kept;
  }
  const email = `local-${newUuid().slice(0, 8)}@example.com`;
  const { apiKey } = await commands.createAccount({
    ...{ email, password: newToken(), name: 'Local agent', plan: 'enterprise' },
  });
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(path, `${JSON.stringify({ api_key: apiKey })}\n`, { mode: 0o600 });
  return apiKey;
};
