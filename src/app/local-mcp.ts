import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApp } from '../app.ts';
import { type Config, ConfigError, loadConfig, readEnvironment } from '../config.ts';
import type { Server } from '../edges/cli/terminal.ts';
import { newToken, newUuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ApplicationCore } from './application-core.ts';
import { userFolder } from './user-folder.ts';

/** The configuration of a local service for one user: its data folder is in the user's home, whatever the working directory. */
export const localConfig = (): Config => {
  const environment = readEnvironment();
  const folder = userFolder();
  if (folder === null && (environment['DATA_DIR'] ?? '') === '') {
    throw new ConfigError('the user has no home directory: set DATA_DIR to a folder for the database');
  }
  const config = loadConfig({ ...(folder === null ? {} : { DATA_DIR: folder }), ...environment });
  return {
    ...config,
    ...{ host: '127.0.0.1', port: 0, publicUrl: null, role: 'api' },
    // Only this process sends requests here, and its client does not wait long for the shutdown.
    shutdownDrainMs: 0,
  };
};

/**
 * Starts the service in this process for one local client, with an account that the first start creates. Processes of
 * several clients share the data folder.
 */
export const startLocalMcp = async (
  config: Config,
  { logger }: { readonly logger: Logger },
): Promise<Server & AsyncDisposable> => {
  const app = await startApp(config, { logger, isLocal: true });
  if (app.url === null) throw new Error('the service listens nowhere');
  const key = await localKey(app.core, config.dataDir);
  return { url: `${app.url}/mcp`, key, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
};

/** The key of an earlier start if it is still valid, else that of a new account. The file has mode 600. */
const localKey = async ({ commands, queries }: ApplicationCore, dataDir: string): Promise<string> => {
  const path = join(dataDir, 'local-key.json');
  const kept = keyIn(path);
  if (kept !== null && (await queries.findKeyHolder(kept)) !== null) return kept;
  const email = `local-${newUuid().slice(0, 8)}@example.com`;
  const { apiKey } = await commands.createAccount({
    ...{ email, password: newToken(), name: 'Local agent', plan: 'enterprise' },
  });
  mkdirSync(dataDir, { recursive: true });
  // Written under a temporary name and renamed: another process may write it at the same time, and readers get one complete file.
  const written = `${path}.${newUuid()}`;
  writeFileSync(written, `${JSON.stringify({ api_key: apiKey })}\n`, { mode: 0o600 });
  renameSync(written, path);
  return apiKey;
};

/** Null if the file is missing or invalid. */
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
