import { generatedLines } from '#test/simulator/generated-videos.ts';
import { holder, receipt, startEdge, transcript } from '#test/support/http.ts';

/**
 * The edge of `http.bench.ts` alone: the server of the product with a key that it knows, a limit that nobody reaches
 * and a door that answers at once with what it holds in memory. Prints its address.
 */
const cues = generatedLines(200).map(([startMs, durationMs, text]) => ({
  text,
  startMs,
  endMs: startMs + durationMs,
}));
const read = { ...receipt, transcript: { ...transcript, cues }, text: null, isCacheHit: true };
const edge = await startEdge({
  commands: { readTranscript: async () => read },
  queries: {
    creditsRemaining: async () => 1_000,
    findKeyHolder: async () => ({ ...holder, limitPerMinute: 1_000_000_000 }),
  },
  // What was answered is not kept: a million of them would be.
  onAnswered: () => undefined,
});
process.stdout.write(`listening on ${edge.url}\n`);
