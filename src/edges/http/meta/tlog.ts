import { addCheckpoint, readCheckpoint, readLogKeys, readTile } from '../../../contract/tlog.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { readText } from '../middleware/body.ts';
import { bytes } from '../middleware/response.ts';
import { type Application, openRoute, type Route } from '../middleware/route.ts';

const text = { contentType: 'text/plain; charset=utf-8' } as const;
/** A checkpoint with a hundred signatures and the longest proof has less. */
const maxSubmission = 32 * 1024;

/** The public log of all ledger entries (C2SP tlog-tiles), and the witness of the logs of others (C2SP tlog-witness). */
export const tlog = ({ commands, queries }: Application<'addCheckpoint', 'transparencyLog'>): Route[] => [
  openRoute(readCheckpoint, async () => {
    const head = await (await queries.transparencyLog()).head();
    if (head === null) throw new Refusal('NOT_FOUND', 'The log does not exist yet.');
    return bytes(head.checkpoint, text);
  }),
  openRoute(readLogKeys, async () => {
    const vkeys = await (await queries.transparencyLog()).vkeys();
    return bytes(vkeys.map((vkey) => `${vkey}\n`).join(''), text);
  }),
  openRoute(readTile, async ({ params }) => {
    const tile = await (await queries.transparencyLog()).tile(params.tile.join('/'));
    return bytes(tile, { contentType: 'application/octet-stream' });
  }),
  openRoute(addCheckpoint, async ({ requestInfo }) => {
    const cosigned = await commands.addCheckpoint(await readText(requestInfo.request, maxSubmission));
    if ('signatures' in cosigned) return bytes(cosigned.signatures, text);
    if ('isInconsistent' in cosigned) return bytes('The proof is not valid.\n', { ...text, status: 422 });
    return bytes(`${cosigned.size}\n`, { status: 409, contentType: 'text/x.tlog.size' });
  }),
];
