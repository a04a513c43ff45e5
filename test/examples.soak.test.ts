import { runExamples } from '#test/support/examples.ts';

runExamples(['*.md', 'docs/**/*.md']);
