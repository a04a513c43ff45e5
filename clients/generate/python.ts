import { readFileSync } from 'node:fs';
import {
  type Description,
  errorClass,
  isFlag,
  iteratorName,
  nameOf,
  type Operation,
  optionOf,
  type Paging,
  type Parameter,
  pageSize,
  pascal,
  type Schema,
  snake,
} from './description.ts';

const header = '# Made from docs/openapi.json by `npm run clients`.\n';
const keywords =
  /^(and|as|assert|async|await|break|class|def|del|from|global|if|import|in|is|lambda|not|or|pass|raise|with)$/;

const text = (value: unknown): string => {
  if (value === true) return 'True';
  if (value === false) return 'False';
  return value === null ? 'None' : JSON.stringify(value);
};
const union = (parts: readonly string[]): string => [...new Set(parts)].join(' | ');
const identifier = (name: string): string => (keywords.test(name) ? `${name}_` : name);
const docstring = (lines: readonly string[], indent: string): string => {
  const said = lines.join('\n\n').replaceAll('\\', '\\\\').replaceAll('"""', "'''").split('\n');
  if (said.length === 1) return `${indent}"""${said[0]}"""\n`;
  const rest = said.slice(1).map((line) => (line === '' ? '\n' : `${indent}${line}\n`));
  return `${indent}"""${said[0]}\n${rest.join('')}${indent}"""\n`;
};
const comment = (said: string | undefined): string =>
  (said ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `    # ${line}\n`)
    .join('');

/** Types of schemas; objects become TypedDicts that are declared under the name of where they stand. */
const typesOf = () => {
  const declared: string[] = [];
  const simple: Readonly<Record<string, string>> = {
    string: 'str',
    integer: 'int',
    number: 'float',
    boolean: 'bool',
    null: 'None',
  };

  const declare = (name: string, { description, properties = {}, required = [] }: Schema): string => {
    const entries = Object.entries(properties).map(([member, schema]) => {
      const type = typeOf(schema, `${name}${pascal(member)}`);
      return { member, schema, type: required.includes(member) ? type : `NotRequired[${type}]` };
    });
    const isPlain = entries.every(({ member }) => /^[A-Za-z_]\w*$/.test(member) && !keywords.test(member));
    if (!isPlain) {
      const members = entries.map(({ member, type }) => `    ${text(member)}: ${text(type)},\n`);
      declared.push(`${name} = TypedDict("${name}", {\n${members.join('')}})\n`);
      return name;
    }
    const members = entries.map(({ member, schema, type }) => `${comment(schema.description)}    ${member}: ${type}\n`);
    const about = description === undefined ? '' : `${docstring([description], '    ')}\n`;
    const body = `${about}${members.join('')}`;
    declared.push(`class ${name}(TypedDict):\n${body === '' ? '    pass\n' : body}`);
    return name;
  };

  /** Alternatives are named by the constant that tells them apart. */
  const choiceName = (name: string, schema: Schema, place: number): string => {
    const constant = Object.values(schema.properties ?? {}).find((member) => typeof member.const === 'string');
    return constant === undefined
      ? place === 0
        ? name
        : `${name}${place + 1}`
      : `${name}${pascal(String(constant.const))}`;
  };

  const typeOf = (schema: Schema, name: string): string => {
    const named = nameOf(schema);
    if (named !== null) return named;
    if ('const' in schema) return `Literal[${text(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(text).join(', ')}]`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined)
      return union(choices.map((choice, place) => typeOf(choice, choiceName(name, choice, place))));
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, name)));
    if (schema.type === 'array') return `list[${typeOf(schema.items ?? {}, `${name}Item`)}]`;
    if (schema.type !== 'object') return simple[String(schema.type)] ?? 'Any';
    if (Object.keys(schema.properties ?? {}).length > 0) return declare(name, schema);
    const { additionalProperties } = schema;
    return `dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, `${name}Value`) : 'Any'}]`;
  };

  return { declare, typeOf, declared };
};

/** The models, and how the members of the bodies are typed. */
const modelsOf = ({ schemas }: Description) => {
  const { declare, typeOf, declared } = typesOf();
  for (const [name, schema] of schemas) {
    if (schema.type === 'object') declare(name, schema);
    else declared.push(`${name}: TypeAlias = ${text(typeOf(schema, name))}\n`);
  }
  const file = `${header}"""What the API takes and answers, as dictionaries with typed members. Members may be added to answers."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

${declared.join('\n\n')}`;
  return { file, typeOf };
};

type TypeOf = (schema: Schema, name: string) => string;
type Argument = { readonly name: string; readonly type: string; readonly isRequired: boolean };

/** The models of the file are named by the module. */
const qualified = (type: string, schemas: ReadonlyMap<string, Schema>): string =>
  type.replace(/("[^"]*")|\b([A-Z]\w*)\b/g, (whole, quoted, name) =>
    quoted !== undefined || !isModel(name, schemas) ? whole : `models.${name}`,
  );
const isModel = (name: string, schemas: ReadonlyMap<string, Schema>): boolean =>
  [...schemas.keys()].some((known) => name.startsWith(known)) &&
  !['Literal', 'Any', 'None', 'True', 'False'].includes(name);

const argumentsOf = (operation: Operation, typeOf: TypeOf): readonly Argument[] => {
  const { body, query, headers } = operation;
  const members = Object.entries(body?.schema.properties ?? {}).map(([name, schema]) => ({
    name: identifier(name),
    type: typeOf(schema, `${body?.name}${pascal(name)}`),
    isRequired: body?.schema.required?.includes(name) === true,
  }));
  const parameter = ({ name, schema, required }: Parameter) => ({
    name: identifier(name),
    type: typeOf(schema, pascal(name)),
    isRequired: required === true,
  });
  const option = (one: Parameter) => ({
    name: snake(optionOf(one.name)),
    type: isFlag(one) ? 'bool' : typeOf(one.schema, ''),
    isRequired: false,
  });
  const all = [...members, ...query.map(parameter)];
  // A header may say the same as a member: the member counts.
  const others = headers.map(option).filter(({ name }) => !all.some((one) => one.name === name));
  return [...all, ...others].toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
};

type Variant = {
  readonly narrowed: Readonly<Record<string, string>>;
  readonly must: readonly string[];
  readonly answer: string;
};

const variantsOf = ({ answer, plan, textFormats, isText, isBinary }: Operation, typeOf: TypeOf): readonly Variant[] => {
  const other = [...(isText ? ['str'] : []), ...(isBinary ? ['bytes'] : [])];
  const usual = answer === null ? union(other) || 'None' : typeOf(answer, '');
  const none: Readonly<Record<string, string>> = plan === null ? {} : { dry_run: 'Literal[False]' };
  const planned =
    plan === null ? [] : [{ narrowed: { dry_run: 'Literal[True]' }, must: ['dry_run'], answer: typeOf(plan, '') }];
  if (textFormats === null || textFormats.length === 0)
    return [...planned, { narrowed: none, must: [], answer: usual }];
  const formats = `Literal[${textFormats.map(text).join(', ')}]`;
  return [
    ...planned,
    { narrowed: { ...none, format: formats }, must: ['format'], answer: union(other) },
    { narrowed: { ...none, format: 'Literal["json"]' }, must: [], answer: usual },
  ];
};

type Colour = { readonly def: string; readonly await: string; readonly iterator: string };
const colours: Readonly<Record<'sync' | 'async', Colour>> = {
  sync: { def: 'def', await: '', iterator: 'Iterator' },
  async: { def: 'async def', await: 'await ', iterator: 'AsyncIterator' },
};

const headOf = (
  operation: Operation,
  args: readonly Argument[],
  { narrowed, must }: Omit<Variant, 'answer'>,
): string => {
  const positional = operation.pathParameters.map(({ name }) => `${snake(name)}: str`);
  const named = args
    .map((one) => ({
      ...one,
      type: narrowed[one.name] ?? one.type,
      isRequired: one.isRequired || must.includes(one.name),
    }))
    .map(({ name, type, isRequired }) => `${name}: ${type}${isRequired ? '' : ' = OMIT'}`);
  const all = ['self', ...positional, '*', ...named, 'on_response: OnResponse | None = None'];
  return all.map((part) => `        ${part},\n`).join('');
};

const dictionary = (entries: readonly (readonly [string, string])[]): string =>
  `{${entries.map(([name, value]) => `${text(name)}: ${value}`).join(', ')}}`;

const requestOf = (operation: Operation, args: readonly Argument[]): string => {
  const { method, path, pathParameters, body, query, headers } = operation;
  const members = Object.keys(body?.schema.properties ?? {});
  const own = headers.filter(
    ({ name }) => args.some((one) => one.name === snake(optionOf(name))) && !members.includes(snake(optionOf(name))),
  );
  const parts = [
    text(method),
    text(path),
    `path=${dictionary(pathParameters.map(({ name }) => [name, snake(name)]))}`,
    `query=${dictionary(query.map(({ name }) => [name, identifier(name)]))}`,
    `headers=${dictionary(own.map(({ name }) => [name, snake(optionOf(name))]))}`,
    `body=${body === null ? 'None' : dictionary(members.map((name) => [name, identifier(name)]))}`,
  ];
  return `Request(\n${parts.map((part) => `                ${part},\n`).join('')}            )`;
};

const methodOf = (operation: Operation, { def, await: wait }: Colour, typeOf: TypeOf): string => {
  const args = argumentsOf(operation, typeOf);
  const variants = variantsOf(operation, typeOf);
  const name = snake(operation.id);
  const answer = union(variants.map((variant) => variant.answer));
  const overloads =
    variants.length === 1
      ? ''
      : variants
          .map(
            (variant) =>
              `    @overload\n    ${def} ${name}(\n${headOf(operation, args, variant)}    ) -> ${variant.answer}: ...\n\n`,
          )
          .join('');
  return `${overloads}    ${def} ${name}(
${headOf(operation, args, { narrowed: {}, must: [] })}    ) -> ${answer}:
${docstring(operation.about, '        ')}        answer: ${answer} = ${wait}self._call(
            ${requestOf(operation, args)},
            on_response,
        )
        return answer
`;
};

/** An item without a name of its own has that of its place in the page. */
const itemType = ({ item, items, page }: Paging, typeOf: TypeOf): string =>
  typeOf(item, page === null ? '' : `${page}${pascal(items)}Item`);

const iteratorOf = (operation: Operation, { iterator }: Colour, typeOf: TypeOf): string => {
  const { paging, about } = operation;
  if (paging === null) return '';
  const args = argumentsOf(operation, typeOf);
  const size = pageSize(operation);
  const head = headOf(operation, args, { narrowed: {}, must: [] });
  return `
    def ${snake(iteratorName(operation.id))}(
${size === null ? head : head.replace(/(limit: [^=]+) = OMIT/, `$1 = ${size}`)}    ) -> ${iterator}[${itemType(paging, typeOf)}]:
${docstring([`${about[0]}: each of all pages, page by page as they are read.`], '        ')}        return self._pages(
            ${requestOf(operation, args)},
            (${text(paging.parameter)}, ${text(paging.next)}, ${text(paging.items)}),
            on_response,
        )
`;
};

const operationsFile = (description: Description, colour: 'sync' | 'async', typeOf: TypeOf): string => {
  const { iterator, def } = colours[colour];
  // What has no name is declared nowhere.
  const named: TypeOf = (schema, name) =>
    name === '' && schema.properties !== undefined
      ? 'dict[str, Any]'
      : qualified(typeOf(schema, name), description.schemas);
  const methods = description.operations.map(
    (operation) => `${methodOf(operation, colours[colour], named)}${iteratorOf(operation, colours[colour], named)}`,
  );
  return `${header}from __future__ import annotations

from typing import Any, ${iterator}, Literal, overload

from .. import request as _request
from ..request import OMIT, OnResponse, Request
from . import models


class ${colour === 'sync' ? 'Operations' : 'AsyncOperations'}:
    """A method for each operation of the API."""

    ${def} _call(self, request: Request, on_response: OnResponse | None) -> Any:
        raise NotImplementedError

    def _pages(self, request: Request, paging: _request.Paging, on_response: OnResponse | None) -> ${iterator}[Any]:
        raise NotImplementedError

${methods.join('\n')}`;
};

const errorsFile = ({ errorCodes }: Description): string => `${header}from __future__ import annotations

from ..errors import StenoError

${errorCodes.map((code) => `\nclass ${errorClass(code)}(StenoError):\n    pass\n`).join('\n')}

#: The class of each error code. A code that is not here is a \`StenoError\`.
ERROR_CLASSES: dict[str, type[StenoError]] = {
${errorCodes.map((code) => `    "${code}": ${errorClass(code)},\n`).join('')}}

__all__ = [
    "ERROR_CLASSES",
${errorCodes.map((code) => `    "${errorClass(code)}",\n`).join('')}]
`;

/** The version of Steno, the requests that take an `Idempotency-Key`, and what results of operations consist of. */
const factsFile = ({ version, operations, resultMembers }: Description): string => `${header}VERSION = "${version}"

#: The requests that take an \`Idempotency-Key\`, by method and path.
IDEMPOTENT = frozenset(
    [
${operations
  .filter(({ headers }) => headers.some(({ name }) => name === 'Idempotency-Key'))
  .map(({ method, path }) => `        "${method} ${path}",\n`)
  .join('')}    ]
)

#: The members of the result of each AI operation, whose hash is in its receipt.
RESULT_MEMBERS: dict[str, list[str]] = {
${[...resultMembers].map(([name, members]) => `    "${name}": ${JSON.stringify(members).replaceAll(',', ', ')},\n`).join('')}}
`;

/** The client for synchronous programs: the asynchronous one, word by word. */
const synchronous = (asynchronous: string): string =>
  [
    [/\basync (def|for|with) /g, '$1 '],
    [/\bawait /g, ''],
    [/\bAsyncIterator\b/g, 'Iterator'],
    [/\bAsyncClient\b/g, 'Client'],
    [/\bAsync(Steno|Operations)\b/g, '$1'],
    [/\basync_operations\b/g, 'operations'],
    [/\basyncio\b/g, 'time'],
    [/\ba(iter_lines|read|close)\b/g, '$1'],
    [/__a(enter|exit)__/g, '__$1__'],
  ].reduce((said, [what, instead]) => said.replace(what as RegExp, instead as string), asynchronous);

const clientFile = (): string => {
  const source = new URL('../python/src/steno_client/async_client.py', import.meta.url);
  return `# Made from async_client.py by \`npm run clients\`.\n${synchronous(readFileSync(source, 'utf8'))}`;
};

/** The made files of `clients/python`, by their paths in the repository. */
export const pythonFiles = (description: Description): ReadonlyMap<string, string> => {
  const { file, typeOf } = modelsOf(description);
  const folder = 'clients/python/src/steno_client';
  return new Map([
    [`${folder}/generated/__init__.py`, header],
    [`${folder}/generated/models.py`, file],
    [`${folder}/generated/operations.py`, operationsFile(description, 'sync', typeOf)],
    [`${folder}/generated/async_operations.py`, operationsFile(description, 'async', typeOf)],
    [`${folder}/generated/errors.py`, errorsFile(description)],
    [`${folder}/generated/facts.py`, factsFile(description)],
    [`${folder}/client.py`, clientFile()],
  ]);
};
