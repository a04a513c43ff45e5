import { boundedBody } from '../../kernel/bounded-body.ts';
import { tilePath } from '../../tlog/tile-path.ts';
import type { RemoteLog } from '../../tlog/witness-logs.ts';

const timeoutMs = 10_000;
/** More than any checkpoint, list of keys or tile has. */
const maxBytes = 64 * 1024;

/** The log of another server, by its base address. It follows no redirect. */
export const remoteLog = (url: string): RemoteLog => {
  const base = `${url.replace(/\/+$/, '')}/tlog`;
  const text = async (path: string): Promise<string> => (await read(`${base}/${path}`)).toString('utf8');
  return {
    url: base,
    checkpoint: () => text('checkpoint'),
    vkeys: async () => (await text('keys')).split('\n').filter((line) => line !== ''),
    tile: (id) => read(`${base}/tile/${tilePath(id)}`),
  };
};

const read = async (url: string): Promise<Buffer> => {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (cause: unknown) => {
      throw new Error(`${url} cannot be reached`, { cause });
    },
  );
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`${url} answered ${answer.status}`);
  }
  return await boundedBody(answer.body, maxBytes, () => new Error(`${url} answered more than ${maxBytes} bytes`));
};
