import type { Pool } from 'pg';

/** A part of a statement; its values are parameters, or further parts. */
class SqlPart {
  readonly texts: TemplateStringsArray;
  readonly values: readonly unknown[];

  constructor(texts: TemplateStringsArray, values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }
}

export const part = (texts: TemplateStringsArray, ...values: readonly unknown[]): SqlPart =>
  new SqlPart(texts, values);

/** Runs the statement that a template is, and resolves to its rows. */
export type Sql = <Rows extends readonly object[] = Readonly<Record<string, unknown>>[]>(
  texts: TemplateStringsArray,
  ...values: readonly unknown[]
) => Promise<Rows>;

export const sqlOn =
  (pool: Pick<Pool, 'query'>): Sql =>
  async <Rows extends readonly object[]>(
    texts: TemplateStringsArray,
    ...values: readonly unknown[]
  ) => {
    const parameters: unknown[] = [];
    const textOf = (some: SqlPart): string =>
      String.raw(
        { raw: some.texts },
        ...some.values.map((value) =>
          value instanceof SqlPart ? textOf(value) : `$${parameters.push(value)}`,
        ),
      );
    const { rows } = await pool.query(textOf(part(texts, ...values)), parameters);
    return rows as readonly object[] as Rows;
  };
