import { readFile, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../kernel/parse-json.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { invalidValue } from './option-parsers.ts';
import type { Environment, Server, Terminal } from './terminal.ts';
import { writeWhole } from './write-file.ts';

/** The options that select a server. */
export type ServerOptions = { readonly url?: string | undefined; readonly local?: boolean };

const Login = z.object({ url: z.string(), api_key: z.string() });

/** The file of the login; null if the environment names no home or configuration folder. */
const loginPath = (environment: Environment): string | null => {
  const { XDG_CONFIG_HOME = '', APPDATA = '', HOME = '' } = environment;
  const folder = [XDG_CONFIG_HOME, APPDATA, HOME === '' ? '' : join(HOME, '.config')].find((each) => isAbsolute(each));
  return folder === undefined ? null : join(folder, 'steno', 'config.json');
};

/** The server and key of `steno login`; null: not logged in. */
const readLogin = async (environment: Environment): Promise<Server | null> => {
  const path = loginPath(environment);
  if (path === null) return null;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  const login = Login.safeParse(parseJson(text));
  if (!login.success) throw new Error(`${path} cannot be read: run steno login to recreate it`);
  return { url: login.data.url, key: login.data.api_key };
};

/** Stores the login in a file of mode 600 and returns its path. */
export const writeLogin = async (environment: Environment, server: Server): Promise<string> => {
  const path = loginPath(environment);
  if (path === null) {
    throw new Error('neither XDG_CONFIG_HOME nor HOME is a folder: set STENO_URL and STENO_API_KEY instead');
  }
  const text = `${JSON.stringify({ url: server.url, api_key: server.key }, null, 2)}\n`;
  await writeWhole(path, text, { file: 0o600, folder: 0o700 });
  return path;
};

/** Deletes the login; false if there was none. */
export const removeLogin = async (environment: Environment): Promise<boolean> => {
  const path = loginPath(environment);
  const isThere = path !== null && (await readFile(path).catch(() => null)) !== null;
  if (path !== null) await rm(path, { force: true });
  return isThere;
};

/** The address of a server in one form: http or https, without credentials, query or slash at its end. */
export const serverUrl = (text: string): string => {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw invalidValue('url', 'a server URL starts with https:// or http:// and contains no credentials');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
};

/** An API key as a header can hold it. */
export const serverKey = (text: string): string => {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw invalidValue('key', 'an API key has only letters, digits and _');
};

/**
 * The server that a verb means: that of `--url`, STENO_URL or the login, in this order. Null: none, or `--local`. The key is
 * STENO_API_KEY, else that of the login, which goes to no other server. Throws UNAUTHENTICATED without a key.
 */
export const serverOf = async (
  { environment }: Pick<Terminal, 'environment'>,
  { url: given, local = false }: ServerOptions,
): Promise<Server | null> => {
  if (local && given !== undefined) throw invalidValue('url', 'give one of --url and --local');
  if (local) return null;
  const { STENO_URL = '', STENO_API_KEY = '' } = environment();
  const named = given ?? (STENO_URL === '' ? undefined : STENO_URL);
  const login = await readLogin(environment());
  const wanted = named === undefined ? login?.url : serverUrl(named);
  if (wanted === undefined) return null;
  const kept = login?.url === wanted ? login.key : '';
  const key = STENO_API_KEY === '' ? kept : STENO_API_KEY;
  if (key !== '') return { url: wanted, key: serverKey(key) };
  const message = `There is no API key for ${wanted}: steno login ${wanted}, or set STENO_API_KEY.`;
  throw new Refusal('UNAUTHENTICATED', message);
};
