import { hostname } from 'node:os';

/** Names this process among all of an installation, in its log lines and traces: `<host>:<process id>`. */
export const instance = `${hostname()}:${process.pid}`;
