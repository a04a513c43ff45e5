import { exampleOf, requestExample } from './examples.ts';
import { propertyDescriptions } from './property-descriptions.ts';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Gives each member of a body that says nothing of itself the description that its name has everywhere. */
export const describeProperties = (components: Node, paths: Record<string, Node>): void => {
  for (const [name, schema] of Object.entries(components)) describe(schema, name);
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      if (isNode(operation)) describe(operation, String(operation['operationId']));
    }
  }
};

const describe = (value: unknown, schema: string): void => {
  if (Array.isArray(value)) for (const each of value) describe(each, schema);
  if (!isNode(value)) return;
  const { properties } = value;
  if (isNode(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      if (!isNode(property) || '$ref' in property || 'description' in property) continue;
      const known = propertyDescriptions[`${schema}.${name}`] ?? propertyDescriptions[name];
      if (known !== undefined) property['description'] = known;
    }
  }
  for (const [name, each] of Object.entries(value)) if (name !== 'example') describe(each, schema);
};

/** Gives each body in JSON that shows none an example. */
export const addExamples = (paths: Record<string, Node>, schemas: Node): void => {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (!isNode(operation)) continue;
    const { operationId, requestBody, responses } = operation;
    const sent = jsonOf(requestBody);
    if (sent !== null) {
      sent.content['example'] ??= requestExample(String(operationId), sent.schema, schemas);
    }
    for (const response of isNode(responses) ? Object.values(responses) : []) {
      const answered = jsonOf(response);
      if (answered !== null) answered.content['example'] ??= exampleOf(answered.schema, schemas);
    }
  }
};

const jsonOf = (body: unknown): { readonly content: Node; readonly schema: Node } | null => {
  const types = isNode(body) ? body['content'] : null;
  const content = isNode(types) ? types['application/json'] : null;
  return isNode(content) && isNode(content['schema'])
    ? { content, schema: content['schema'] }
    : null;
};
