/** Does work when its result is first asked for, and keeps the result; of asynchronous work its promise, a rejected one too. */
export const once = <Result extends object | string>(work: () => Result): (() => Result) => {
  let result: Result | undefined;
  return () => (result ??= work());
};

/** Keeps what is computed of an object for as long as the object is kept. */
export const oncePer = <From extends object, Result>(compute: (from: From) => Result) => {
  const results = new WeakMap<From, { readonly result: Result }>();
  return (from: From): Result => {
    const known = results.get(from) ?? { result: compute(from) };
    results.set(from, known);
    return known.result;
  };
};
