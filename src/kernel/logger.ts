/** What is known about a line of the log, by name in snake_case; values are redacted by their names and looks. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes lines for operators. An error goes into the field `error`. Never throws, never blocks. */
export type Logger = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log, with these fields on every line. */
  child(fields: LogFields): Logger;
};
