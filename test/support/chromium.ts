import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);

/** The names of the browser in Linux distributions, searched in PATH. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The installed browser: `CHROME_PATH`, else the first found in PATH, else null. */
const installed = (): string | null => {
  const named = process.env['CHROME_PATH'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return files.find(isProgram) ?? null;
};

type Program = { readonly file: string; readonly libraries: string | null };

/** Unpacks the browser of the package `@sparticuz/chromium`, with the libraries that a bare system lacks. */
const unpack = `const { default: chromium, inflate } = await import('@sparticuz/chromium');
await chromium.executablePath();
await inflate(process.argv[1]);`;

/** The browser of the npm package, unpacked once for each version and user (210 MB, 5 s). */
const packaged = async (): Promise<Program> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('no Chromium was found in PATH, and the packaged one is for Linux on x64 only: set CHROME_PATH');
  }
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const folder = join(tmpdir(), `steno-chromium-${version}-${process.getuid?.()}`);
  if (!existsSync(folder)) {
    const unpacked = mkdtempSync(`${folder}-`);
    try {
      const libraries = join(root, 'bin/al2023.tar.br');
      await run(process.execPath, ['--input-type=module', '--eval', unpack, libraries], {
        cwd: root,
        env: { ...process.env, TMPDIR: unpacked },
      });
      renameSync(unpacked, folder);
    } catch (error) {
      rmSync(unpacked, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return { file: join(folder, 'chromium'), libraries: join(folder, 'al2023/lib') };
};

/**
 * Without the last flag Chromium asks the hosts of its maker for updates and certificates. The sandbox needs
 * privileges that neither root in a container nor every user has.
 */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Starts the installed browser, else the packaged one. Without a browser, tests fail instead of being skipped. */
export const startChromium = async (): Promise<Browser> => {
  const found = installed();
  const { file, libraries } = found === null ? await packaged() : { file: found, libraries: null };
  return await chromium.launch({
    executablePath: file,
    args: flags,
    ...(libraries === null ? {} : { env: { ...process.env, LD_LIBRARY_PATH: libraries } }),
  });
};
