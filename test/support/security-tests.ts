import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testFiles } from '#test/support/test-files.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** What is tried, and the sentence of the test, or of its case, that shows the outcome. */
type Row = { readonly number: number; readonly tried: string; readonly path: string; readonly sentence: string };

const tag = /^ *\/\/ S(\d+): (.+)\n/gm;
const otherTags = /^(?: *\/\/ .*\n)*/;
const suites = /^( *)describe\(\s*(['`])(.*)\2,/gm;
const literal = /(['`])((?:\\.|(?!\1).)*)\1/;

/** Tags stand above a test: `// S12: what is tried`. */
const rowsIn = (file: string): readonly Row[] => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(tag)].map(({ 0: line, 1: number, 2: tried = '', index }) => {
    const below = text.slice(index + line.length).replace(otherTags, '');
    const [, , title = ''] = literal.exec(below) ?? [];
    const outer = [...text.slice(0, index).matchAll(suites)].filter(
      ([, indent = '']) => indent.length < line.indexOf('/'),
    );
    const joint = /^ *(?:it|check)\(/.test(below) ? ' ' : ': ';
    const sentence = `${outer.at(-1)?.[3] ?? ''}${joint}${title}`
      .replaceAll(/\$\{[^}]*\}/g, '…')
      .replaceAll(/\\(.)/g, '$1');
    return { number: Number(number), tried, path: relative(repository, file), sentence };
  });
};

/** Every tagged test, by number. */
export const securityTests = (): readonly Row[] =>
  [...testFiles([]), ...testFiles([], true)]
    .toSorted()
    .flatMap(rowsIn)
    .toSorted((one, other) => one.number - other.number);

/** The text of `docs/security-tests.md`. */
export const securityTestsPage = (): string => {
  const rows = securityTests().map(
    ({ number, tried, path, sentence }) => `| ${number} | ${tried} | \`${path}\` | ${sentence} |`,
  );
  return `# Security tests

What is tried against the service, and the test that shows the outcome; \`…\` stands for each of several cases. \`npm run docs\` makes this page from the comments
\`// S12: …\` above the tests.

| | Tried | Test | Sentence |
|---|---|---|---|
${rows.join('\n')}
`;
};
