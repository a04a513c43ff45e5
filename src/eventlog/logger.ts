/** Where the log reports what an operator should know. `fields` are JSON values. */
export type Logger = {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
};

export const silentLogger: Logger = { warn: () => {}, error: () => {} };
