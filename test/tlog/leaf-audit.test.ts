import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leafProblem } from '#src/tlog/leaf-audit.ts';
import { leafHash } from '#src/tlog/merkle.ts';
import { loggedEntry, type NewLeaf } from '#src/tlog/transparency-log.ts';

const salt = Buffer.alloc(32, 7);
const entries: readonly NewLeaf[] = [10n, 20n, 30n].map((position) => ({
  ...{ position, accountId: 'acc_example' },
  hash: String(position).padStart(64, '0'),
}));
const logged = entries.map(({ hash }) => loggedEntry(salt, hash));
const bundle = { index: 0, positions: [10n, 20n, 30n], entries: Buffer.concat(logged) };
const log = {
  bundles: [bundle],
  tiles: [{ index: 0, hashes: Buffer.concat(logged.map(leafHash)) }],
  salts: new Map([['acc_example', salt]]),
  range: { after: 0n, upTo: 30n },
};
const [first, second, third] = entries as [NewLeaf, NewLeaf, NewLeaf];

describe('entries against the leaves of the transparency log', () => {
  it('match as they were logged, even a part of them', () => {
    assert.equal(leafProblem(entries, log), null);
    assert.equal(leafProblem([second], { ...log, range: { after: 10n, upTo: 20n } }), null);
  });

  it('do not match once an entry was changed, moved to another account, added or removed, or once the log was changed', () => {
    const other = { ...second, hash: 'f'.repeat(64) };
    const isAnother = 'the entry at position 20 is another one in the transparency log';
    assert.equal(leafProblem([first, other, third], log), isAnother);
    assert.equal(leafProblem([first, { ...second, accountId: 'acc_other' }, third], log), isAnother);
    assert.equal(
      leafProblem([first, { ...second, position: 15n }], log),
      'the entry at position 15 is not in the transparency log',
    );
    assert.equal(
      leafProblem([first, third], log),
      'the transparency log has an entry at position 20 that is in no ledger',
    );
    const tiles = [{ index: 0, hashes: Buffer.alloc(96) }];
    assert.match(leafProblem(entries, { ...log, tiles }) ?? '', /has another leaf for the entry at position 10/);
  });
});
