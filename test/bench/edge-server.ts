import { generatedLines } from '#test/simulator/generated-videos.ts';
import { holder, readReceipt, startEdge, transcript } from '#test/support/http.ts';

/**
 * The HTTP server without a ledger, for `http.bench.ts`: the product's server with one known key, an unreachable rate limit
 * and a command that returns a transcript from memory at once. Prints its address.
 */
const cues = generatedLines(200).map(([startMs, durationMs, text]) => ({ text, startMs, endMs: startMs + durationMs }));
const read = { ...readReceipt, transcript: { ...transcript, cues }, text: null };
const edge = await startEdge({
  commands: { readTranscript: async () => read },
  queries: {
    creditsRemaining: async () => 1_000,
    findKeyHolder: async () => ({ ...holder, limitPerMinute: 1_000_000_000 }),
  },
  // Responses are not stored for repeats: the bench would store a million of them.
  onAnswered: () => undefined,
});
process.stdout.write(`listening on ${edge.url}\n`);
