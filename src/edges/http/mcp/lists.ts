import { promptList } from './prompts.ts';
import { type Pieces, piecesOf } from './ready-json.ts';
import { resourceTemplates } from './resources.ts';
import { type Era, statelessResult } from './revisions.ts';
import type { Tool } from './tools/tool.ts';

/** The result of each list in both eras. Lists never change, so that they are written once. */
export const writtenLists = (
  tools: Iterable<Tool>,
  serverInfo: object,
): Readonly<Record<Era, ReadonlyMap<string, Pieces>>> => {
  const results = Object.entries({
    'tools/list': { tools: [...tools].map(({ definition }) => definition) },
    'prompts/list': { prompts: promptList },
    'resources/list': { resources: [] },
    'resources/templates/list': { resourceTemplates },
  });
  const inStateless = (method: string, result: Readonly<Record<string, unknown>>): Pieces =>
    piecesOf(statelessResult(method, result, serverInfo));
  return {
    negotiated: new Map(results.map(([method, result]) => [method, piecesOf(result)])),
    stateless: new Map(results.map(([method, result]) => [method, inStateless(method, result)])),
  };
};
