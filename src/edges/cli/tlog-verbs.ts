import type { Command } from 'commander';
import { print, say, type Terminal } from './terminal.ts';

/** `steno tlog`: the transparency log of this server, and the logs of others that it witnesses. */
export const addTlog = (tlog: Command, terminal: Terminal): void => {
  tlog
    .command('status')
    .description('print the size of the log, when it was signed, its keys, and the logs it witnesses')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const { origin, size, position, behind, signedAt, vkeys, witness, witnessed } =
        await application.actions.tlogStatus();
      if (json) {
        const logs = witnessed.map(({ cosignedAt, ...one }) => ({ ...one, cosigned_at: cosignedAt }));
        const own = { origin, size, position, positions_behind: behind, signed_at: signedAt, vkeys };
        return await print(terminal, JSON.stringify({ ...own, witness_vkey: witness, witnessed: logs }));
      }
      if (origin === null) await print(terminal, 'no log yet: the first start of a server creates it');
      else await print(terminal, `${origin}: ${size} leaves, signed at ${signedAt}, ${behind} positions behind`);
      for (const vkey of vkeys) await print(terminal, `key      ${vkey}`);
      await print(terminal, `witness  ${witness}`);
      for (const one of witnessed) {
        await print(terminal, `watches  ${one.origin} at ${one.url}: ${one.size} leaves, ${one.cosignedAt}`);
      }
    });
  tlog
    .command('witness')
    .description('check that the log of another server has only grown since the last check, and print it cosigned')
    .argument('<url>', 'base address of the server')
    .option('--vkey <key>', 'its verifier key; default: that of the first check')
    .action(async (url: string, { vkey }: { vkey?: string }) => {
      await using application = await terminal.openApplication({ mayCreate: true });
      const { note, witness } = await application.actions.witnessLog({ url, vkey: vkey ?? null });
      await print(terminal, note.trimEnd());
      say(terminal, `cosigned by ${witness}`);
    });
};
