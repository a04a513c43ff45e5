import { readDescription } from './description.ts';
import { pythonFiles } from './python.ts';
import { typescriptFiles } from './typescript.ts';

/** All generated files of the clients, by their paths in the repository. */
export const generatedFiles = (): ReadonlyMap<string, string> => {
  const description = readDescription();
  return new Map([...typescriptFiles(description), ...pythonFiles(description)]);
};
