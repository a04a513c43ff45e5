import {
  camel,
  type Description,
  errorClass,
  isFlag,
  iteratorName,
  nameOf,
  type Operation,
  optionOf,
  type Parameter,
  pageSize,
  type Schema,
} from './description.ts';

const header = '// Made from docs/openapi.json by `npm run clients`.\n\n';

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);
const text = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value);
const union = (parts: readonly string[]): string => [...new Set(parts)].join(' | ');

const comment = (lines: readonly (string | undefined)[], indent: string): string => {
  const said = lines.flatMap((line) =>
    line === undefined || line === '' ? [] : line.replaceAll('*/', '* /').split('\n'),
  );
  if (said.length === 0) return '';
  if (said.length === 1) return `${indent}/** ${said[0]} */\n`;
  return `${indent}/**\n${said.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
};

const membersOf = ({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string => {
  const inside = `${indent}  `;
  const open =
    additionalProperties !== undefined && additionalProperties !== false
      ? [`${inside}[member: string]: unknown;\n`]
      : [];
  const members = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name);
    const type = `${typeOf(schema, inside)}${isOptional ? ' | undefined' : ''}`;
    return `${comment([schema.description], inside)}${inside}${key(name)}${isOptional ? '?' : ''}: ${type};\n`;
  });
  return `{\n${[...members, ...open].join('')}${indent}}`;
};

const objectOf = (schema: Schema, indent: string): string => {
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) return membersOf(schema, indent);
  const { additionalProperties } = schema;
  if (additionalProperties === false || schema.properties !== undefined) return 'Record<string, never>';
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'}>`;
};

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The TypeScript type of a schema; members of objects stand one step further in than `indent`. */
const typeOf = (schema: Schema, indent: string): string => {
  const name = nameOf(schema);
  if (name !== null) return name;
  if ('const' in schema) return text(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(text));
  const known = schema['x-extensible-enum'];
  if (known !== undefined) return union([...known.map(text), '(string & {})']);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, indent)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, indent);
    return /[|{ ]/.test(item) ? `Array<${item}>` : `${item}[]`;
  }
  if (schema.type === 'object') return objectOf(schema, indent);
  return simple[String(schema.type)] ?? 'unknown';
};

const schemasFile = ({ schemas }: Description): string =>
  `${header}${[...schemas]
    .map(([name, schema]) => `${comment([schema.description], '')}export type ${name} = ${typeOf(schema, '')};\n`)
    .join('\n')}`;

/** Schema names that a text uses, as an import. */
const importOf = (body: string, { schemas }: Description): string => {
  const names = [...schemas.keys()]
    .filter((name) => new RegExp(`(?<![\\w'./])${name}(?![\\w'])`).test(body))
    .toSorted();
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './schemas.js';\n`;
};

const parametersType = (parameters: readonly Parameter[], indent: string): string => {
  const members = parameters.map(({ name, required, description, schema }) => {
    const isOptional = required !== true;
    const type = `${typeOf(schema, `${indent}  `)}${isOptional ? ' | undefined' : ''}`;
    return `${comment([description], `${indent}  `)}${indent}  ${key(name)}${isOptional ? '?' : ''}: ${type};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
};

const placeOf = (name: string, parameters: readonly Parameter[]): string => {
  if (parameters.length === 0) return `      ${name}?: never;\n`;
  const isRequired = parameters.some(({ required }) => required === true);
  return `      ${name}${isRequired ? '' : '?'}: ${parametersType(parameters, '      ')};\n`;
};

const operationType = ({ id, query, headers, pathParameters, body, answers }: Operation): string => {
  const contents = answers.map(([status, content]) => {
    const types = Object.entries(content).map(([type, { schema }]) => `${text(type)}: ${typeOf(schema, '      ')}`);
    return `      ${status}: { headers: Record<string, string>; content: ${types.length === 0 ? '{ [type: string]: never }' : `{ ${types.join('; ')} }`} };\n`;
  });
  const sent =
    body === null
      ? '    requestBody?: never;\n'
      : `    requestBody${body.isRequired ? '' : '?'}: { content: { 'application/json': ${body.name} } };\n`;
  return `  ${id}: {
    parameters: {
${placeOf('query', query)}${placeOf('header', headers)}${placeOf('path', pathParameters)}      cookie?: never;
    };
${sent}    responses: {
${contents.join('')}      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
`;
};

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

const pathsFile = (description: Description): string => {
  const routes = Map.groupBy(description.operations, ({ path }) => path);
  const paths = [...routes].map(([path, operations]) => {
    const found = methods.map((method) => {
      const operation = operations.find((one) => one.method === method);
      const name = method.toLowerCase();
      return operation === undefined ? `    ${name}?: never;\n` : `    ${name}: operations['${operation.id}'];\n`;
    });
    const none = 'query?: never; header?: never; path?: never; cookie?: never';
    return `  ${text(path)}: {\n    parameters: { ${none} };\n${found.join('')}  };\n`;
  });
  const body = `/** Every path of the API, in the form that openapi-fetch reads. */
export interface paths {
${paths.join('')}}

export interface operations {
${description.operations.map(operationType).join('')}}

/** The requests that take an \`Idempotency-Key\`, by method and path. */
export const idempotent: ReadonlySet<string> = new Set([
${description.operations
  .filter(({ headers }) => headers.some(({ name }) => name === 'Idempotency-Key'))
  .map(({ method, path }) => `  ${text(`${method} ${path}`)},\n`)
  .join('')}]);
`;
  return `${header}${importOf(body, description)}\n${body}`;
};

const errorsFile = ({ errorCodes }: Description): string => `${header}import { StenoError } from '../errors.js';

${errorCodes.map((code) => `export class ${errorClass(code)} extends StenoError {}\n`).join('')}
/** The class of each error code. A code that is not here is a \`StenoError\`. */
export const errorClasses: Readonly<Record<string, typeof StenoError>> = {
${errorCodes.map((code) => `  ${code}: ${errorClass(code)},\n`).join('')}};
`;

const pathName = ({ name }: Parameter): string => camel(name);
const isDryRun = ({ name }: Parameter): boolean => name === 'X-Dry-Run';

/** The options of a method besides those that all take. */
const optionsOf = ({ headers }: Operation): string => {
  const own = headers.map((parameter) => {
    const type = isFlag(parameter) ? 'boolean' : typeOf(parameter.schema, '');
    return `${camel(optionOf(parameter.name))}?: ${type} | undefined`;
  });
  return own.length === 0 ? 'RequestOptions' : `RequestOptions & { ${own.join('; ')} }`;
};

type Variant = { readonly query?: string; readonly body?: string; readonly options?: string; readonly answer: string };

/** The ways to call an operation that answer differently: as text, as a dry run, as usual. */
const variantsOf = (operation: Operation): readonly Variant[] => {
  const { answer, plan, textFormats, isText, isBinary, headers } = operation;
  const other = [...(isText ? ['string'] : []), ...(isBinary ? ['Blob'] : [])];
  const usual = answer === null ? union(other) || 'void' : typeOf(answer, '  ');
  const byHeader = headers.some(isDryRun);
  const planned =
    plan === null
      ? []
      : [
          byHeader
            ? { options: '{ dryRun: true }', answer: typeOf(plan, '  ') }
            : { body: '{ dry_run: true }', answer: typeOf(plan, '  ') },
        ];
  const none =
    plan === null
      ? {}
      : byHeader
        ? { options: '{ dryRun?: false | undefined }' }
        : { body: '{ dry_run?: false | undefined }' };
  const formatted =
    textFormats === null || textFormats.length === 0
      ? []
      : [{ ...none, query: `{ format: ${union(textFormats.map(text))} }`, answer: union(other) }];
  const json = formatted.length === 0 ? {} : { query: `{ format?: 'json' | undefined }` };
  return [...planned, ...formatted, { ...none, ...json, answer: usual }];
};

const restricted = (type: string, more: string | undefined): string =>
  more === undefined ? type : `${type} & ${more}`;

const signature = (operation: Operation, name: string, variant: Variant): string => {
  const { pathParameters, body, query } = operation;
  const { query: queryMore, body: bodyMore, options: optionsMore } = variant;
  const mustBe = (more: string | undefined): boolean => more !== undefined && !more.includes('?:');
  // A parameter that must be given makes those before it required, too.
  const needsOptions = mustBe(optionsMore);
  const needsQuery = query.some(({ required }) => required === true) || mustBe(queryMore) || needsOptions;
  const needsBody = body?.isRequired === true || mustBe(bodyMore) || (needsQuery && query.length > 0) || needsOptions;
  const queryType =
    operation.query.length === 0
      ? null
      : restricted(`operations['${operation.id}']['parameters']['query'] & {}`, queryMore);
  const parts = [
    ...pathParameters.map((parameter) => `${pathName(parameter)}: string`),
    ...(body === null ? [] : [`body${needsBody ? '' : '?'}: ${restricted(body.name, bodyMore)}`]),
    ...(queryType === null
      ? []
      : [
          `query${needsQuery ? '' : '?'}: ${needsQuery && !needsOptions ? queryType : `${queryType}${needsOptions && !mustBe(queryMore) ? ' | undefined' : ''}`}`,
        ]),
    `options${needsOptions ? '' : '?'}: ${restricted(optionsOf(operation), optionsMore)}`,
  ];
  return `${name}(${parts.join(', ')})`;
};

const requestOf = ({ method, path, pathParameters, body, query, headers }: Operation): string => {
  const members = [
    `method: ${text(method.toLowerCase())}`,
    `path: ${text(path)}`,
    ...(pathParameters.length === 0
      ? []
      : [
          `pathParameters: { ${pathParameters.map((one) => (pathName(one) === one.name ? one.name : `${key(one.name)}: ${pathName(one)}`)).join(', ')} }`,
        ]),
    ...(query.length === 0 ? [] : ['query']),
    ...(body === null ? [] : ['body']),
    ...(headers.length === 0
      ? []
      : [`headers: { ${headers.map(({ name }) => `${key(name)}: options.${camel(optionOf(name))}`).join(', ')} }`]),
  ];
  return `{ ${members.join(', ')} }`;
};

const methodOf = (operation: Operation): string => {
  const variants = variantsOf(operation);
  const answer = union(variants.map((variant) => variant.answer));
  const about = comment(operation.about, '  ');
  const overloads =
    variants.length === 1
      ? []
      : variants.map(
          (variant) => `${about}  ${signature(operation, operation.id, variant)}: Promise<${variant.answer}>;\n`,
        );
  const whole = signature(operation, operation.id, { answer })
    .replace('options?: ', 'options: ')
    .replace(/\)$/, ' = {})');
  return `${overloads.join('')}${overloads.length === 0 ? about : ''}  ${whole}: Promise<${answer}> {
    return this.call(${requestOf(operation)}, options);
  }
`;
};

const iteratorOf = (operation: Operation): string => {
  const { paging, about } = operation;
  if (paging === null) return '';
  const size = pageSize(operation);
  const said = comment([`${about[0]}: each of all pages, page by page as they are read.`], '  ');
  const whole = signature(operation, iteratorName(operation.id), { answer: '' })
    .replace('options?: ', 'options: ')
    .replace(/\)$/, ' = {})');
  const request = requestOf(operation).replace(
    ', query',
    size === null ? ', query' : `, query: { limit: ${size}, ...query }`,
  );
  return `
${said}  ${whole}: AsyncGenerator<${typeOf(paging.item, '  ')}, void, undefined> {
    return this.pages(${request}, { parameter: ${text(paging.parameter)}, next: ${text(paging.next)}, items: ${text(paging.items)} }, options);
  }
`;
};

const operationsFile = (description: Description): string => {
  const body = `/** A method for each operation of the API. */
export abstract class Operations {
  protected abstract call<Answer>(request: OperationRequest, options: RequestOptions): Promise<Answer>;

  protected abstract pages<Item>(
    request: OperationRequest,
    paging: Paging,
    options: RequestOptions,
  ): AsyncGenerator<Item, void, undefined>;

${description.operations.map((operation) => `${methodOf(operation)}${iteratorOf(operation)}`).join('\n')}}
`;
  return `${header}import type { OperationRequest, Paging, RequestOptions } from '../request.js';
import type { operations } from './paths.js';
${importOf(body, description)}
${body}`;
};

const versionFile = ({
  version,
}: Description): string => `${header}/** The version of Steno that this client was made from. */
export const version = '${version}';
`;

const resultsFile = ({
  resultMembers,
}: Description): string => `${header}/** The members of the result of each AI operation, whose hash is in its receipt. */
export const resultMembers: Readonly<Record<string, readonly string[]>> = {
${[...resultMembers].map(([name, members]) => `  ${name}: [${members.map(text).join(', ')}],\n`).join('')}};
`;

/** The made files of `clients/typescript`, by their paths in the repository. */
export const typescriptFiles = (description: Description): ReadonlyMap<string, string> =>
  new Map(
    Object.entries({
      schemas: schemasFile(description),
      paths: pathsFile(description),
      operations: operationsFile(description),
      errors: errorsFile(description),
      version: versionFile(description),
      results: resultsFile(description),
    }).map(([name, said]) => [`clients/typescript/src/generated/${name}.ts`, said]),
  );
