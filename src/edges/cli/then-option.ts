import { InvalidArgumentError, Option } from 'commander';
import { fieldsOf } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { parserOfNames } from './option-parsers.ts';

/** Operations that can be named alone. */
const complete = operations
  .filter((operation) => fieldsOf(operation).every(({ isRequired }) => !isRequired))
  .map(({ name }) => name);

const exampleOfOthers = operations
  .filter(({ name }) => !complete.includes(name))
  .slice(0, 1)
  .map((operation) => {
    const [field] = fieldsOf(operation).filter(({ isRequired }) => isRequired);
    return JSON.stringify({ operation: operation.name, [field?.name ?? '']: '…' });
  })
  .join();

/** Names of operations with commas between, or an operation with its members as JSON. Each `--then` adds to those before; `none` removes them. */
const parseThen = (text: string, before: readonly object[] = []): readonly object[] => {
  if (text === 'none') return [];
  if (text.trimStart().startsWith('{')) {
    const operation = parseJson(text);
    if (operation === undefined) throw new InvalidArgumentError('It must be an operation as JSON, or a list of names.');
    return [...before, operation as object];
  }
  const refusal = `Names are ${complete.join(', ')}; give others as JSON: ${exampleOfOthers}.`;
  return [...before, ...parserOfNames(complete, refusal)(text).map((operation) => ({ operation }))];
};

/** `--then`. */
export const thenOption = (): Option =>
  new Option('--then <operations>', 'operations on each transcript: names, JSON or none').argParser(parseThen);
