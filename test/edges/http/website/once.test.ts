import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Commands } from '#src/commands.ts';
import { onceToken } from '#src/edges/http/website/parts/once.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { startEdge, videoId } from '#test/support/http.ts';

const hourMs = 3_600_000;

describe('a form that is sent again', () => {
  it('is the same operation for 24 hours, and then another one, whatever time it names', async () => {
    const keys: string[] = [];
    let now = Date.now();
    const commands: Partial<Commands> = {
      quoteInsight: () => ({ videoId, credits: 1, creditsIfFallback: 1 }),
      serveVisitor: async (_, work) => {
        const actor = { type: 'visitor', id: 'vis_1' } as const;
        const cause = { actor, channel: 'web', requestId: 'req_1', traceparent: null } as const;
        return { result: await work({ accountId: 'acc_1', cause }), newToken: null };
      },
      performInsight: async ({ operationKey }) => {
        keys.push(operationKey);
        throw new Refusal('VIDEO_NOT_FOUND', 'There is no such video.');
      },
    };
    await using edge = await startEdge({ commands, clock: () => new Date(now) });
    const keyOf = async (once: string, query = 'light') => {
      const body = new URLSearchParams({ once, query });
      const headers = { Accept: 'text/html', Origin: edge.url };
      await fetch(`${edge.url}/t/${videoId}/search`, { method: 'POST', headers, body });
      return keys.at(-1);
    };
    const forms = [onceToken(), `frm_ffffffffffff7${'0'.repeat(19)}`, 'of another kind'];
    for (const once of forms) {
      const first = await keyOf(once);
      assert.ok(first);
      assert.notEqual(await keyOf(once, 'dark'), first, 'other fields');
      assert.equal(await keyOf(once), first);
      now += 25 * hourMs;
      assert.notEqual(await keyOf(once), first, once);
    }
    const fresh = onceToken();
    now = Date.now();
    const first = await keyOf(fresh);
    now += 23 * hourMs;
    assert.equal(await keyOf(fresh), first);
  });
});
