import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build as bundle, stop } from 'esbuild';
import { once } from '../../../kernel/memoize.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import type { StaticFile } from '../middleware/response.ts';

export type Assets = {
  /** Addresses of what pages load. */
  readonly style: string;
  /** Fonts and colours alone. */
  readonly tokens: string;
  readonly script: string;
  readonly icon: string;
  /** The picture that other sites show beside a link. */
  readonly card: string;
  readonly files: ReadonlyMap<string, StaticFile>;
};

const folder = fileURLToPath(new URL('browser', import.meta.url));

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
};

/**
 * Builds the styles and scripts of the pages, once in a process: some 50 ms, nothing is written to disk.
 * Addresses carry a hash of the content, so that browsers may keep the files for ever.
 */
export const buildAssets = once(async (): Promise<Assets> => {
  const { outputFiles } = await bundle({
    entryPoints: {
      site: path.join(folder, 'site.ts'),
      style: path.join(folder, 'site.css'),
      tokens: path.join(folder, 'tokens.css'),
      icon: path.join(folder, 'icon.svg'),
      card: path.join(folder, 'card.png'),
    },
    outdir: '/assets',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    loader: { '.woff2': 'file', '.svg': 'copy', '.png': 'copy' },
    logLevel: 'silent',
  });
  // Its process is needed no more.
  await stop();
  const files = new Map<string, StaticFile>();
  for (const { path: file, contents } of outputFiles) {
    files.set(`/assets/${path.basename(file)}`, assetOf(file, Buffer.from(contents)));
  }
  const addressOf = (name: string): string =>
    [...files.keys()].find((address) => address.startsWith(`/assets/${name}-`)) ?? '';
  return {
    style: addressOf('style'),
    tokens: addressOf('tokens'),
    script: addressOf('site'),
    icon: addressOf('icon'),
    card: addressOf('card'),
    files,
  };
});

const assetOf = (address: string, body: Buffer): StaticFile => {
  const ending = path.extname(address);
  const isText = ending !== '.woff2' && ending !== '.png';
  return {
    contentType: ownValue(contentTypes, ending) ?? 'application/octet-stream',
    body,
    brotli: isText ? brotliCompressSync(body) : null,
    gzip: isText ? gzipSync(body) : null,
  };
};
