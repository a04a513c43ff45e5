export type Outcome = { readonly status: number; readonly event: string | null; readonly ms: number };

/** All at once; the bodies are read, so that an answer counts as received. */
export const inParallel = (count: number, ask: (n: number) => Promise<Response>): Promise<Outcome[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const started = performance.now();
      const answer = await ask(n);
      await answer.arrayBuffer();
      const event = answer.headers.get('X-Credits-Event');
      return { status: answer.status, event, ms: performance.now() - started };
    }),
  );

/** How many answers had each status. */
export const statuses = (seen: readonly Outcome[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of seen) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
