import { hostname } from 'node:os';

/** Identifies this process in log lines and traces: `<host>:<process id>`. */
export const instance = `${hostname()}:${process.pid}`;
