/** Runs `work` at the first call and returns its result to every call. Asynchronous work: its promise, also if it is rejected. */
export const once = <Result extends object | string>(work: () => Result): (() => Result) => {
  let result: Result | undefined;
  return () => (result ??= work());
};

/** Keeps the result that is computed from an object for as long as the object is in memory. */
export const memoizeByObject = <From extends object, Result>(compute: (from: From) => Result) => {
  const results = new WeakMap<From, { readonly result: Result }>();
  return (from: From): Result => {
    const known = results.get(from) ?? { result: compute(from) };
    results.set(from, known);
    return known.result;
  };
};
