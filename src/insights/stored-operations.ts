import { type OperationCall, operationNamed } from '../contract/operations.ts';
import { ownValue } from '../kernel/own-value.ts';
import type { PerformedOperation } from './run-operation.ts';

/** Members that are stored under names of their own. What is stored keeps its form for ever. */
const storedNames: Readonly<Record<string, string>> = {
  output_lang: 'outputLanguage',
  target_lang: 'targetLanguage',
  end_timestamp: 'endTimestamp',
  opening_line: 'openingLine',
};
const namesOfStored = Object.fromEntries(Object.entries(storedNames).map(([name, stored]) => [stored, name]));

type StoredCall = { readonly operation: OperationCall['operation']; readonly params: object };

const storedCall = (call: OperationCall): StoredCall => ({
  operation: call.operation,
  params: Object.fromEntries(
    Object.keys(operationNamed(call.operation).input).map((member) => [
      ownValue(storedNames, member) ?? member,
      Reflect.get(call, member) ?? null,
    ]),
  ),
});

const callOf = ({ operation, params }: StoredCall): OperationCall =>
  ({ operation, ...Object(renamed(params, namesOfStored)) }) as OperationCall;

const renamed = (value: unknown, names: Readonly<Record<string, string>>): unknown => {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [names[name] ?? name, renamed(each, names)]));
};

/** The operations of a job as its `JobCreated` refers to them. */
export const storedCalls = (calls: readonly OperationCall[]): string => JSON.stringify(calls.map(storedCall));

/** Reads what `storedCalls` wrote; null: the job has none, or they are erased. */
export const callsOf = (json: string | null): readonly OperationCall[] =>
  json === null ? [] : (JSON.parse(json) as readonly StoredCall[]).map(callOf);

/** A result of an operation of a job, as it is kept. */
export const storedResult = ({ call, result, ...made }: PerformedOperation): string =>
  JSON.stringify({
    ...storedCall(call),
    ...made,
    result: renamed(call.operation === 'search' ? Reflect.get(result, 'results') : result, storedNames),
  });

type StoredOperation = StoredCall & Omit<PerformedOperation, 'call'>;

/** Reads what `storedResult` wrote. */
export const resultOf = (json: string): PerformedOperation => {
  const { operation, params, result, ...made } = JSON.parse(json) as StoredOperation;
  const call = callOf({ operation, params });
  if (call.operation === 'search') return { ...made, call, result: { results: result } };
  if (call.operation === 'chapters') {
    // Results of 1.1 do not say who made them.
    const source = made.model === null ? 'extract' : 'model';
    return { ...made, call, result: { source, ...Object(renamed(result, namesOfStored)) } };
  }
  if (call.operation !== 'translate') {
    return { ...made, call, result: Object(renamed(result, namesOfStored)) };
  }
  const segments: unknown = Reflect.get(result, 'segments');
  const segment_count = Array.isArray(segments) ? segments.length : 0;
  return { ...made, call, result: { source_language: made.language, segment_count, ...result } };
};
