import { ownValue } from '../../../kernel/own-value.ts';
import { propertyDescriptions } from './property-descriptions.ts';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

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
      const known = ownValue(propertyDescriptions, `${schema}.${name}`) ?? ownValue(propertyDescriptions, name);
      if (known !== undefined) property['description'] = known;
    }
  }
  for (const [name, each] of Object.entries(value)) if (name !== 'example') describe(each, schema);
};
