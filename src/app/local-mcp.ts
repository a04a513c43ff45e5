import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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
  return {
    ...config,
    ...{ host: '127.0.0.1', port: 0, publicUrl: null, role: 'api' },
    // Nobody sends requests here but this process, and its client does not wait long for its end.
    shutdownDrainMs: 0,
  };
};

/**
 * Starts the service in this process for one local client, with an account that is made the first time. Processes of
 * several clients share the data folder.
 */
export const startLocalMcp = async (
  config: Config,
  { logger }: { readonly logger: Logger },
): Promise<McpServer & AsyncDisposable> => {
  const app = await startApp(config, { logger, isLocal: true });
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
  const kept = keyIn(path);
  if (kept !== null && (await queries.findKeyHolder(kept)) !== null) return kept;
  const email = `local-${newUuid().slice(0, 8)}@example.com`;
  const { apiKey } = await commands.createAccount({
    ...{ email, password: newToken(), name: 'Local agent', plan: 'enterprise' },
  });
  mkdirSync(dataDir, { recursive: true });
  // Another process may write it too: whoever reads it finds one of them whole.
  const written = `${path}.${newUuid()}`;
  writeFileSync(written, `${JSON.stringify({ api_key: apiKey })}\n`, { mode: 0o600 });
  renameSync(written, path);
  return apiKey;
};

/** Null: there is none, or what is there is not one. */
const keyIn = (path: string): string | null => {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  try {
    const { api_key: kept } = JSON.parse(text) as { api_key?: unknown };
    return typeof kept === 'string' ? kept : null;
  } catch {
    return null;
  }
};
