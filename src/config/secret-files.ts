import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

/** The variable that names the file of a secret. */
export const fileVariableOf = (name: string): string => `${name}_FILE`;

/**
 * The content of the file that `NAME_FILE` names, without spaces and line ends around it; undefined where that is not set.
 * Throws where `NAME` is set too, and where there is nothing to read.
 */
export const secretInFile = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  workingFolder: string,
): string | undefined => {
  const variable = fileVariableOf(name);
  const path = environment[variable]?.trim() ?? '';
  if (path === '') return undefined;
  if ((environment[name]?.trim() ?? '') !== '') {
    throw new ConfigError(`${name} and ${variable} are both set; set one of them`);
  }
  const content = contentOf(variable, path, workingFolder).trim();
  if (content === '') throw new ConfigError(`${variable} is "${path}", which is empty`);
  return content;
};

/** The content of the file that a variable names; throws where there is nothing to read. */
export const contentOf = (variable: string, path: string, workingFolder: string): string => {
  try {
    return readFileSync(resolve(workingFolder, path), 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${variable} is "${path}", which cannot be read: ${reason}`);
  }
};
