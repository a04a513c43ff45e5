import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { newUuid } from '../../kernel/ids.ts';
import { waiting } from './progress.ts';
import { type ServerClient, type ServerRequest, serverClient } from './server-client.ts';
import { NetworkError } from './server-error.ts';
import { requireServer, type ServerOptions } from './server-login.ts';
import { type Column, printRows } from './table.ts';
import { print, remark, say, type Terminal } from './terminal.ts';

/** The parsed command line: arguments in order, options by camelCase name. */
export type Given = {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
};

type Argument = readonly [syntax: string, about: string];

type Described = {
  readonly name: string;
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
};

/** A verb that is one request, and how its answer is shown. With `--json` the answer is printed with all its members; with `isSentOnce` it takes `--id`. */
export type ServerVerb<Answer> = Described & {
  readonly isSentOnce?: boolean;
  readonly request: (given: Given) => ServerRequest | Promise<ServerRequest>;
  readonly answer: z.ZodType<Answer>;
  /** Throws for an answer of which nothing may be shown. */
  readonly check?: (answer: Answer) => void;
  readonly show: (terminal: Terminal, answer: Answer, given: Given) => Promise<void>;
  /** Told of the answer after it is printed, also with `--json`. */
  readonly remarkOn?: (terminal: Terminal, answer: Answer) => void;
};

/** `after`: where the page begins; null: the first. */
type ListPage = { readonly limit: number; readonly after: string | null };

/** A verb that lists: as many pages as `--limit` asks for. With `--json` each row is a line with all its members. */
export type ListVerb<Answer, Row extends object> = Described & {
  readonly limit: { readonly default: number | null; readonly page: number };
  readonly request: (given: Given, page: ListPage) => ServerRequest;
  readonly answer: z.ZodType<Answer>;
  /** Throws for a page of which nothing may be shown. */
  readonly check?: (answer: Answer) => void;
  readonly rows: (answer: Answer) => readonly Row[];
  /** Where the next page begins; null after the last. */
  readonly next: (answer: Answer) => string | null;
  readonly columns: readonly Column<Row>[];
};

/** The options that name a server. */
export const withServer = (command: Command): Command =>
  command.option('--url <url>', 'of the server; without: STENO_URL, or that of steno login');

/** A whole number from 1 on. */
export const parseCount = (text: string): number => {
  if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 on.');
};

/** An option that takes a whole number. */
export const countOption = (flags: string, about: string): Option => new Option(flags, about).argParser(parseCount);

const commandOf = (parent: Command, { name, about, args = [], options = [] }: Described): Command => {
  const command = parent.command(name).description(about);
  for (const [syntax, what] of args) command.argument(syntax, what);
  for (const option of options) command.addOption(option);
  return withServer(command).option('--json', 'print JSON');
};

/** The parameters of an action handler of commander: arguments, options, command. */
const givenOf = (handed: readonly unknown[]): Given => ({
  args: handed
    .slice(0, -2)
    .flat()
    .map((each) => (each === undefined ? '' : String(each))),
  options: (handed.at(-2) ?? {}) as Given['options'],
});

/** The API of the server that the options name. */
export const openServer = async (terminal: Terminal, options: ServerOptions): Promise<ServerClient> =>
  serverClient(await requireServer(terminal, options), terminal);

/** An id as the header `Idempotency-Key` can hold it. */
const parseKey = (text: string): string => {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError('It has 1 to 255 visible ASCII characters.');
};

/** The option that names a request which must not be done twice. */
const idOption = (): Option =>
  new Option('--id <id>', 'names the request: sent again under it, it is done and charged once').argParser(parseKey);

/** Adds a verb that is one request. */
export const addServerVerb = <Answer>(parent: Command, terminal: Terminal, verb: ServerVerb<Answer>): void => {
  const { isSentOnce = false } = verb;
  const options = [...(verb.options ?? []), ...(isSentOnce ? [idOption()] : [])];
  commandOf(parent, { ...verb, options }).action(async (...handed: unknown[]) => {
    const given = givenOf(handed);
    const client = await openServer(terminal, given.options);
    const request = await verb.request(given);
    const operationId = String(given.options['id'] ?? newUuid());
    using _ = waiting(terminal);
    const { headers, body, sent } = await client
      .send(isSentOnce ? { ...request, operationId } : request, verb.answer)
      .catch((error: unknown) => {
        if (isSentOnce && error instanceof NetworkError) {
          say(terminal, `It may have been done: with --id ${operationId} it is done once.`);
        }
        throw error;
      });
    verb.check?.(body);
    if (given.options['json'] === true) await print(terminal, JSON.stringify(sent));
    else await verb.show(terminal, body, given);
    verb.remarkOn?.(terminal, body);
    tellCost(terminal, creditsOf(headers));
  });
};

/** Adds a verb that lists. */
export const addListVerb = <Answer, Row extends object>(
  parent: Command,
  terminal: Terminal,
  verb: ListVerb<Answer, Row>,
): void => {
  const { limit } = verb;
  const command = commandOf(parent, verb);
  const option = countOption('--limit <n>', 'at most so many');
  command.addOption(limit.default === null ? option : option.default(limit.default));
  command.action(async (...handed: unknown[]) => {
    const given = givenOf(handed);
    const client = await openServer(terminal, given.options);
    const most = Number(given.options['limit'] ?? Number.POSITIVE_INFINITY);
    const isJson = given.options['json'] === true;
    const rows: Row[] = [];
    let [count, after]: [number, string | null] = [0, null];
    using _ = waiting(terminal);
    do {
      const page: ListPage = { limit: Math.min(limit.page, most - count), after };
      const { body } = await client.send(verb.request(given, page), verb.answer);
      verb.check?.(body);
      const found = verb.rows(body);
      count += found.length;
      // Lines of JSON need no widths: they are printed as they come.
      if (isJson) await printRows(terminal, found, [], true);
      else rows.push(...found);
      after = found.length < page.limit ? null : verb.next(body);
    } while (after !== null && count < most);
    if (!isJson) await printRows(terminal, rows, verb.columns, false);
  });
};

/** The credits charged for a response. */
export const creditsOf = (headers: Headers): number => Number(headers.get('x-credits-charged') ?? 0);

/** Says on a terminal what was charged. */
export const tellCost = (terminal: Terminal, credits: number): void => {
  if (credits > 0) remark(terminal, `${credits} credit${credits === 1 ? '' : 's'} charged`);
};
