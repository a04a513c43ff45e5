import { solve } from '#test/support/accounts.ts';

/** Prints the answer to the question of a captcha: what the reader of a document types. */
process.stdout.write(solve(process.argv[2] ?? ''));
