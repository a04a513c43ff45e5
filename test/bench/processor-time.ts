import { readdir, readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/** Processor time used so far by the program and by all of Postgres, in milliseconds. */
export type ProcessorTime = { readonly processMs: number; readonly databaseMs: number };

/** The kernel counts the children that have ended in hundredths of a second. */
const tickMs = 10;

/**
 * Reads, from the kernel (Linux only), what a process and the Postgres server behind `client` have used: every backend,
 * ended ones included, and the server's own processes. Nothing else may use that server meanwhile.
 */
export const processorTime = async (client: Pick<Client, 'query'>, pid: number): Promise<ProcessorTime> => {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = (await statOf(rows[0]?.pid ?? 0)).parent;
  return { processMs: await usedMs(pid), databaseMs: await databaseMs(postmaster) };
};

const databaseMs = async (postmaster: number): Promise<number> => {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const used = await Promise.all(
    names.map(async (name) => {
      // A process may end while it is read; then its time is counted with its parent.
      const stat = await statOf(Number(name)).catch(() => null);
      if (stat?.parent !== postmaster) return 0;
      return await usedMs(Number(name)).catch(() => 0);
    }),
  );
  const { endedChildrenMs } = await statOf(postmaster);
  return endedChildrenMs + used.reduce((sum, ms) => sum + ms, 0);
};

/** All threads of a process, to the nanosecond. */
const usedMs = async (pid: number): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const used = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1e6;
    }),
  );
  return used.reduce((sum, ms) => sum + ms, 0);
};

/** The fields after the name of the program, which may contain spaces: state, parent, … */
const statOf = async (pid: number): Promise<{ readonly parent: number; readonly endedChildrenMs: number }> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  return { parent: Number(fields[1]), endedChildrenMs: (user + system) * tickMs };
};
