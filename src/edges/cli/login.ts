import type { Command } from 'commander';
import { readUsage, usageSchema } from '../../contract/usage.ts';
import { isLoopback } from '../../kernel/ip-networks.ts';
import { requestTo } from './endpoint-request.ts';
import { invalidValue } from './option-parsers.ts';
import { ask, canAsk } from './prompt.ts';
import { serverClient } from './server-client.ts';
import { ServerError } from './server-error.ts';
import { removeLogin, serverKey, serverUrl, writeLogin } from './server-login.ts';
import { firstLine, type Server, say, type Terminal } from './terminal.ts';

/** `steno login` and `steno logout`: the server and the API key of this user, kept in a file that only they can read. */
export const addLogin = (program: Command, terminal: Terminal): void => {
  program
    .command('login')
    .description('store the address of a server and an API key')
    .argument('[url]', 'of the server; prompted for on a terminal')
    .option('--key-stdin', 'read the API key from the first line of stdin')
    .action(async (given: string | undefined, { keyStdin = false }: { keyStdin?: boolean }) => {
      const url = serverUrl(given ?? (await urlFrom(terminal)));
      const isAsked = !keyStdin && canAsk(terminal);
      const key = isAsked ? await ask(terminal, 'API key: ', { isHidden: true }) : await firstLine(terminal.stdin);
      if (key.trim() === '') throw invalidValue('key', 'give an API key as a line on stdin');
      const server = { url, key: serverKey(key) };
      const account = await accountOf(server, terminal);
      const path = await writeLogin(terminal.environment(), server);
      say(terminal, `Logged in at ${url}${account}. The key is in ${path}.`);
      const { protocol, hostname } = new URL(url);
      if (protocol === 'http:' && !isLoopback(hostname))
        say(terminal, 'Warning: http sends the key unencrypted; use https.');
    });

  program
    .command('logout')
    .description('delete the stored server and API key')
    .action(async () => {
      const was = await removeLogin(terminal.environment());
      say(terminal, was ? 'Logged out.' : 'Not logged in.');
    });
};

const urlFrom = async (terminal: Terminal): Promise<string> => {
  if (canAsk(terminal)) return await ask(terminal, 'URL of the server: ', { isHidden: false });
  throw invalidValue('url', 'give the URL of the server: steno login URL');
};

const Usage = usageSchema.pick({ plan: true, credits_remaining: true, unlimited: true });

/** Plan and credits of the key as text; empty for a valid key without the scope for usage. */
const accountOf = async (server: Server, terminal: Terminal): Promise<string> => {
  try {
    const request = requestTo(readUsage, [], { days: 1 });
    const { body } = await serverClient(server, terminal).send(request, Usage);
    const left = body.unlimited ? 'unlimited credits' : `${body.credits_remaining} credits left`;
    return `: plan ${body.plan}, ${left}`;
  } catch (error) {
    if (error instanceof ServerError && error.code === 'FORBIDDEN') return '';
    throw error;
  }
};
