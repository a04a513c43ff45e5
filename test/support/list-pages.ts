/** Every row of a list that is read a row at a time, each page from the position of the row before it; at most a hundred. */
export const rowByRow = async <Row extends { readonly position: string }>(
  read: (page: { readonly limit: number; readonly before: string | null }) => Promise<readonly Row[]>,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let before: string | null = null; rows.length < 100; ) {
    const [row]: readonly Row[] = await read({ limit: 1, before });
    if (row === undefined) break;
    rows.push(row);
    before = row.position;
  }
  return rows;
};
