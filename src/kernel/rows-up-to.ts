/** At most `limit` rows of a list. One more is read, which tells whether there are more. */
export const rowsUpTo = async <Row>(
  limit: number,
  read: (limit: number) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean }> => {
  const found = await read(limit + 1);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
};
