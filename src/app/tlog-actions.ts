import { headPosition } from '#projections/ledger-entries.ts';
import { remoteLog } from '../adapters/tlog/remote-log.ts';
import type { OperatorActions } from '../edges/cli/operator-interface.ts';
import { invalidRequest } from '../kernel/refusal.ts';
import { parseVkey } from '../tlog/note.ts';
import type { ApplicationCore } from './application-core.ts';

export type TlogActions = Pick<OperatorActions, 'tlogStatus' | 'witnessLog'>;

/** The commands of an operator on transparency logs. */
export const tlogActions = ({ sql, transparency }: Pick<ApplicationCore, 'sql' | 'transparency'>): TlogActions => ({
  tlogStatus: async () => {
    const [log, witness] = [await transparency.log(), await transparency.witness()];
    const [head, vkeys, witnessed, end] = [
      await log.head(),
      await log.vkeys(),
      await witness.all(),
      await headPosition(sql),
    ];
    const position = head?.position ?? 0n;
    return {
      origin: head?.origin ?? null,
      size: head?.size ?? 0,
      position: String(position),
      behind: String(end > position ? end - position : 0n),
      signedAt: head?.signedAt.toISOString() ?? null,
      vkeys,
      witness: witness.vkey,
      witnessed: witnessed.map(({ origin, url, size, cosignedAt }) => ({
        ...{ origin, url, size },
        cosignedAt: cosignedAt.toISOString(),
      })),
    };
  },
  witnessLog: async ({ url, vkey }) => {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw invalidRequest(`${url} is no address of a server`, { path: 'url', code: 'invalid_format' });
    }
    if (vkey !== null && parseVkey(vkey) === null) {
      throw invalidRequest('this is no verifier key', { path: 'vkey', code: 'invalid_format' });
    }
    const witness = await transparency.witness();
    return { note: await witness.witness(remoteLog(url), vkey), witness: witness.vkey };
  },
});
