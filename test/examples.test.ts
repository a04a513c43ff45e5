import { runExamples } from '#test/support/examples.ts';

runExamples(['README.md'], { isRequestsOnly: true });
