import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import { bundleInto } from '#src/bundle.ts';
import { manifestOf, oldestNode, type Package } from './manifest.ts';

/** Writes the bundle that clients of the Model Context Protocol install with a click. */
export const packBundle = async (target: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-bundle-'));
  try {
    const about = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as Package;
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifestOf(about), null, 2));
    const server = join(folder, 'server');
    await bundleInto(server, ['clients/mcp-bundle/server.ts'], { node: oldestNode, hasSourceMaps: false });
    await mkdir(dirname(target), { recursive: true });
    // It checks the manifest against the schema of its version.
    const isPacked = await packExtension({ extensionPath: folder, outputPath: target, silent: true });
    if (!isPacked) throw new Error(`${target} cannot be packed: the manifest is not valid`);
  } finally {
    await rm(folder, { recursive: true });
  }
};
