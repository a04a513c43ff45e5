import { type Command, Option } from 'commander';
import { z } from 'zod';
import { idempotencyKey, priceQuote } from '../../contract/charged.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { fieldOf } from '../../contract/operation.ts';
import { newUuid } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusal.ts';
import {
  type AnswerOf,
  answerSchemaOf,
  argumentsOf,
  attributeOf,
  helpOf,
  membersOf,
  optionsOf,
  requestTo,
} from './endpoint-request.ts';
import { costTagOption, countOption, optionValue, parserOf } from './option-parsers.ts';
import { waiting } from './progress.ts';
import { type ServerClient, type ServerRequest, serverClient } from './server-client.ts';
import { NetworkError } from './server-error.ts';
import { type ServerOptions, serverOf } from './server-login.ts';
import { type Columns, printFields, printRows } from './table.ts';
import { print, remark, say, type Terminal } from './terminal.ts';

/** The parsed command line: arguments in order, options by camelCase name. */
export type ParsedArguments = { readonly args: readonly string[]; readonly options: Readonly<Record<string, unknown>> };

type Argument = readonly [syntax: string, about: string];

type VerbDescription<E extends Endpoint> = {
  readonly endpoint: E;
  readonly name: string;
  /** Absent: the summary of the endpoint. */
  readonly about?: string;
  /** Absent: the parameters of its path. One with the name of a member of the query or the body is that member. */
  readonly args?: readonly Argument[];
  /** Besides those of the members of the query or the body, or in place of one of them. */
  readonly options?: readonly Option[];
  /** Members without an option. */
  readonly without?: readonly string[];
};

/**
 * A verb that is one request to an endpoint, and how its answer is shown: as it was sent, with members that this release
 * does not know. With `--json` all of it is printed; with `isSentOnce` it takes `--id`.
 */
export type ServerVerb<E extends Endpoint> = VerbDescription<E> & {
  readonly isSentOnce?: boolean;
  /** Members of the query or the body besides, or in place of, the options that have their names. */
  readonly members?: (given: ParsedArguments) => object | Promise<object>;
  /** In place of the request that arguments and options make. */
  readonly request?: (given: ParsedArguments) => ServerRequest;
  /** The answer is a file with these options, and this takes its bytes; null: it is JSON. */
  readonly into?: (
    terminal: Terminal,
    given: ParsedArguments,
  ) => ((pieces: AsyncIterable<Uint8Array>) => Promise<void>) | null;
  /** Throws for an answer of which nothing may be shown. */
  readonly check?: (answer: AnswerOf<E>) => void;
  /** `show` prints the answer of a dry run, too. */
  readonly showsQuote?: boolean;
  /** Absent: as JSON. */
  readonly show?: (terminal: Terminal, answer: AnswerOf<E>, given: ParsedArguments) => Promise<void>;
  /** Told of the answer after it is printed, also with `--json`. */
  readonly remarkOn?: (terminal: Terminal, answer: AnswerOf<E>) => void;
};

/** The rows of a list: its answer has one member that is an array. */
type RowOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Row extends object)[] ? Row : never;
}[keyof Answer];

/** A verb that lists: as many pages as `--limit` asks for. With `--json` each row is a line with all its members. */
export type ListVerb<E extends Endpoint> = VerbDescription<E> & {
  /** Throws for a page of which nothing may be shown. */
  readonly check?: (answer: AnswerOf<E>, given: ParsedArguments) => void;
  /** Given or made from the rows and what else the server says. */
  readonly columns:
    | Columns<RowOf<AnswerOf<E>>>
    | ((
        client: ServerClient,
        rows: readonly RowOf<AnswerOf<E>>[],
        given: ParsedArguments,
      ) => Promise<Columns<RowOf<AnswerOf<E>>>>);
};

/** The option that names a server. */
export const withServer = (command: Command, flag = '--url'): Command =>
  command.option(`${flag} <url>`, 'of the server; default: STENO_URL, or that of steno login');

/** The option that names the server: `--server` where `--url` is one of the verb. */
const serverOption = (options: readonly Option[]) => (options.some(({ long }) => long === '--url') ? 'server' : 'url');

/** The arguments that are members of the query or the body, with their places. */
const memberArguments = <E extends Endpoint>({ endpoint, args = [] }: VerbDescription<E>) =>
  args
    .map(([syntax], index) => ({ name: syntax.replace(/\W/g, ''), index }))
    .filter(({ name }) => Object.hasOwn(membersOf(endpoint), name));

/** The options of a verb: one for each member of the query or the body that has no argument, and its own. */
const optionsFor = <E extends Endpoint>(verb: VerbDescription<E>): readonly Option[] => {
  const { endpoint, options = [], without = [] } = verb;
  const left = [...without, ...memberArguments(verb).map(({ name }) => name)];
  const own = options.map((option) => option.attributeName());
  const names = Object.keys(membersOf(endpoint)).filter(
    (name) => !left.includes(name) && !own.includes(attributeOf(name)),
  );
  return [...optionsOf(endpoint, names), ...options];
};

const commandOf = <E extends Endpoint>(parent: Command, verb: VerbDescription<E>, options: readonly Option[]) => {
  const { endpoint, name, about = helpOf(endpoint.summary), args = argumentsOf(endpoint) } = verb;
  const command = parent.command(name).description(about);
  for (const [syntax, what] of args) command.argument(syntax, what);
  for (const option of options) command.addOption(option);
  withServer(command, `--${serverOption(options)}`);
  const isFile = Object.values(endpoint.answers).some(
    ({ bytes, schema }) => bytes !== undefined && schema === undefined,
  );
  return isFile ? command : command.option('--json', 'print JSON');
};

/** The parameters of an action handler of commander: arguments, options, command. */
const givenOf = (handed: readonly unknown[]): ParsedArguments => ({
  args: handed.slice(0, -2).flat() as string[],
  options: (handed.at(-2) ?? {}) as ParsedArguments['options'],
});

/** The API of the server that the options mean. Throws UNAUTHENTICATED without one. */
export const openServer = async (terminal: Terminal, options: ServerOptions): Promise<ServerClient> => {
  const server = await serverOf(terminal, options);
  if (server !== null) return serverClient(server, terminal);
  const message = 'This needs a server: steno login URL, or set STENO_URL and STENO_API_KEY.';
  throw new Refusal('UNAUTHENTICATED', message);
};

/** The option that names a request which must not be done twice, as the header `Idempotency-Key` can hold it. */
const idOption = (): Option =>
  new Option(
    '--id <id>',
    'idempotency key: repeated with the same id, the request is executed and charged once',
  ).argParser(parserOf(idempotencyKey));

/** The members of the query or the body that arguments and options have. `--url` is that of the server. */
const membersIn = <E extends Endpoint>(verb: VerbDescription<E>, { args, options }: ParsedArguments): object => ({
  ...Object.fromEntries(
    Object.keys(membersOf(verb.endpoint))
      .filter((name) => name !== 'url')
      .map((name) => [name, optionValue<unknown>(options[attributeOf(name)])]),
  ),
  ...Object.fromEntries(memberArguments(verb).map(({ name, index }) => [name, args[index]])),
});

/** Adds a verb that is one request. */
export const addServerVerb = <E extends Endpoint>(parent: Command, terminal: Terminal, verb: ServerVerb<E>): void => {
  const { endpoint, isSentOnce = false, showsQuote = false } = verb;
  const hasPrice = endpoint.hasDryRun === true;
  const isTagged = hasPrice && endpoint.method === 'GET';
  const options = [
    ...optionsFor({ ...verb, without: [...(verb.without ?? []), ...(hasPrice ? ['dry_run'] : [])] }),
    ...(isTagged ? [costTagOption()] : []),
    ...(hasPrice ? [new Option('--dry-run', 'print the cost, without executing it')] : []),
    ...(isSentOnce ? [idOption()] : []),
  ];
  const answer = answerSchemaOf(endpoint);
  const requestOf = async (given: ParsedArguments): Promise<ServerRequest> =>
    verb.request?.(given) ?? {
      ...requestTo(endpoint, given.args, { ...membersIn(verb, given), ...(await verb.members?.(given)) }),
      isDryRun: hasPrice && given.options['dryRun'] === true,
      ...(isTagged ? { costTag: given.options['costTag'] as string | undefined } : {}),
    };
  commandOf(parent, verb, options).action(async (...handed: unknown[]) => {
    const given = givenOf(handed);
    const client = await openServer(terminal, { url: given.options[serverOption(options)] as string | undefined });
    const request = await requestOf(given);
    const idempotencyKey = String(given.options['id'] ?? newUuid());
    using _ = waiting(terminal);
    const into = verb.into?.(terminal, given) ?? null;
    if (into !== null) return await client.download(request, into);
    const { headers, sent } = await client
      .send(isSentOnce ? { ...request, idempotencyKey } : request, answer)
      .catch((error: unknown) => {
        if (isSentOnce && error instanceof NetworkError) {
          say(terminal, `It may have taken effect: repeat it with --id ${idempotencyKey}, and it takes effect once.`);
        }
        throw error;
      });
    const answered = sent as AnswerOf<E>;
    verb.check?.(answered);
    const isJson = given.options['json'] === true;
    if (!isJson && !showsQuote && given.options['dryRun'] === true) await printQuote(terminal, sent);
    else if (isJson || verb.show === undefined) await print(terminal, JSON.stringify(sent));
    else await verb.show(terminal, answered, given);
    verb.remarkOn?.(terminal, answered);
    tellCost(terminal, creditsOf(headers));
  });
};

const printQuote = async (terminal: Terminal, sent: unknown): Promise<void> => {
  const { credits, note } = priceQuote.parse(sent);
  await printFields(terminal, { credits, note });
};

/** How a list is read in pages: its member of rows, and the parameter of the query that goes on where `next_…` of the answer says. */
const pagingOf = (endpoint: Endpoint) => {
  const schema: z.ZodType = answerSchemaOf(endpoint);
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const { limit, ...others } = endpoint.query?.shape ?? {};
  const field = limit === undefined ? null : fieldOf('limit', limit as z.ZodType);
  return {
    rows: Object.keys(shape).find((name) => shape[name] instanceof z.ZodArray) ?? '',
    after: Object.keys(others).find((name) => `next_${name}` in shape) ?? '',
    most: field?.kind === 'count' ? field.max : Number.POSITIVE_INFINITY,
    fallback: field?.kind === 'count' ? field.fallback : undefined,
  };
};

/** Adds a verb that lists. */
export const addListVerb = <E extends Endpoint>(parent: Command, terminal: Terminal, verb: ListVerb<E>): void => {
  type Row = RowOf<AnswerOf<E>> & object;
  const { endpoint } = verb;
  const paging = pagingOf(endpoint);
  const limit = countOption('--limit <n>', 'maximum number to list', { default: paging.fallback });
  const paged = {
    ...verb,
    options: [...(verb.options ?? []), limit],
    without: [...(verb.without ?? []), paging.after],
  };
  commandOf(parent, paged, optionsFor(paged)).action(async (...handed: unknown[]) => {
    const given = givenOf(handed);
    const client = await openServer(terminal, given.options);
    const most = Number(given.options['limit'] ?? Number.POSITIVE_INFINITY);
    const isJson = given.options['json'] === true;
    const rows: Row[] = [];
    let [count, after]: [number, string | null] = [0, null];
    using _ = waiting(terminal);
    do {
      const limit = Math.min(paging.most, most - count);
      const page = Number.isFinite(paging.most) ? { limit, [paging.after]: after } : {};
      const request = requestTo(endpoint, given.args, { ...membersIn(verb, given), ...page });
      const { sent } = await client.send(request, answerSchemaOf(endpoint));
      verb.check?.(sent as AnswerOf<E>, given);
      const answer = sent as Readonly<Record<string, unknown>>;
      const found = answer[paging.rows] as Row[];
      count += found.length;
      // Lines of JSON need no widths: they are printed as they come.
      if (isJson) await printRows(terminal, found, {}, true);
      else rows.push(...found);
      after = found.length < limit ? null : ((answer[`next_${paging.after}`] ?? null) as string | null);
    } while (after !== null && count < most);
    if (isJson) return;
    const { columns } = verb;
    await printRows(
      terminal,
      rows,
      typeof columns === 'function' ? await columns(client, rows, given) : columns,
      false,
    );
  });
};

/** The credits charged for a response. */
export const creditsOf = (headers: Headers): number => Number(headers.get('x-credits-charged') ?? 0);

/** Says on a terminal what was charged. */
export const tellCost = (terminal: Terminal, credits: number): void => {
  if (credits > 0) remark(terminal, `${credits} credit${credits === 1 ? '' : 's'} charged`);
};
