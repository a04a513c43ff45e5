import { sweep } from '#test/support/swept-parameters.ts';

/** One of each kind; the soak has many of each. */
const texts = ['+275760-12-31T23:59:59.999Z', '2026-02-30', '1.5', '9'.repeat(400), '\0', 'ä'];

sweep(texts, [1e308, null, {}]);
