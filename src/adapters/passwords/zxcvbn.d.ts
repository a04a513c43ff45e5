/** The package describes its estimator only. The most frequent words come first. */
declare module 'zxcvbn/lib/frequency_lists.js' {
  const frequencyLists: { readonly passwords: readonly string[] };
  export = frequencyLists;
}
