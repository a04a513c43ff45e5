import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joined, piecesOf, ReadyJson } from '#src/edges/http/mcp/ready-json.ts';

describe('JSON that is written already', () => {
  it('stands in an object as if it were written with it', () => {
    const text = JSON.stringify([{ type: 'text', text: '"é\u2028\ud800' }]);
    for (const value of [
      {},
      { left: undefined },
      { content: new ReadyJson(text) },
      { 'a"': 1, content: new ReadyJson(Buffer.from(text)), left: undefined, _meta: { b: null } },
    ]) {
      assert.equal(joined(piecesOf(value)).toString(), JSON.stringify(value));
    }
  });
});
