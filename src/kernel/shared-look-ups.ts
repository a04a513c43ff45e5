type Batch<Value> = { readonly keys: string[]; readonly found: Promise<ReadonlyMap<string, Value>> };

/**
 * Looks up one key at a time. Calls that come while a query runs share the next one, so that a thousand keys in use do not cost
 * a thousand queries. What is found is as new as the call: its query is sent after it.
 */
export const sharedLookUps = <Value>(
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): ((key: string) => Promise<Value | undefined>) => {
  let ended: Promise<unknown> = Promise.resolve();
  let next: Batch<Value> | null = null;

  const newBatch = (): Batch<Value> => {
    const keys: string[] = [];
    const found = ended.then(() => {
      next = null;
      return lookUp(keys);
    });
    ended = found.catch(() => {});
    return { keys, found };
  };
  return async (key) => {
    next ??= newBatch();
    next.keys.push(key);
    return (await next.found).get(key);
  };
};
