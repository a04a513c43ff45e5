import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCredentials } from '#src/adapters/passwords/argon2.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { cheapHashing, shippedHashing } from '#test/support/accounts.ts';

const pepper = Buffer.alloc(32, 1);

describe('a password hash', () => {
  it('is argon2id with 19 MiB and two passes, and differs each time', async () => {
    const passwords = await openCredentials({ pepper, hashing: shippedHashing });
    const [one, two] = await passwords.withHashingSlot(async (turn) => [
      await turn.hash('correct horse'),
      await turn.hash('correct horse'),
    ]);
    assert.match(one ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$/);
    assert.notEqual(one, two);
  });

  it('verifies its password only, with its pepper only, in every Unicode composition', async () => {
    const passwords = await openCredentials({ pepper, hashing: cheapHashing });
    const stored = await passwords.withHashingSlot((turn) => turn.hash('caf\u00e9 \u0000 caf\u00e9'));
    const isRight = (password: string, by: Uint8Array | null = pepper) =>
      passwords.withHashingSlot(async (turn) => (await turn.verify(password, { hash: stored, pepper: by })).isRight);
    assert.equal(await isRight('caf\u00e9 \u0000 caf\u00e9'), true);
    assert.equal(await isRight('cafe\u0301 \u0000 cafe\u0301'), true);
    assert.equal(await isRight('caf\u00e9 '), false);
    for (const other of [Buffer.alloc(32, 2), null]) {
      assert.equal(await isRight('caf\u00e9 \u0000 caf\u00e9', other), false);
    }
  });

  it('is computed for unknown mailboxes too, and never matches', async () => {
    const passwords = await openCredentials({ pepper, hashing: cheapHashing });
    assert.deepEqual(await passwords.withHashingSlot((turn) => turn.verify('x', null)), {
      isRight: false,
      rehashed: null,
    });
  });

  it('is replaced at a sign-in if its pepper is a former one', async () => {
    const [former, today] = await Promise.all(
      [pepper, Buffer.alloc(32, 2)].map((each) => openCredentials({ pepper: each, hashing: cheapHashing })),
    );
    const hash = (await former?.withHashingSlot((turn) => turn.hash('correct horse'))) ?? '';
    const verdict = await today?.withHashingSlot((turn) => turn.verify('correct horse', { hash, pepper }));
    assert.equal(verdict?.isRight, true);
    assert.notEqual(verdict?.rehashed, null);
  });

  it('is replaced at a sign-in if its parameters are weaker than the configured ones', async () => {
    const before = await openCredentials({ pepper, hashing: cheapHashing });
    const today = await openCredentials({ pepper, hashing: { ...cheapHashing, passes: 2 } });
    const stored = await before.withHashingSlot((turn) => turn.hash('correct horse'));
    const { rehashed } = await today.withHashingSlot((turn) => turn.verify('correct horse', { hash: stored, pepper }));
    assert.match(rehashed ?? '', /,t=2,/);
    const wrong = await today.withHashingSlot((turn) => turn.verify('wrong horse', { hash: stored, pepper }));
    assert.equal(wrong.rehashed, null);
    const again = await today.withHashingSlot((turn) => turn.verify('correct horse', { hash: rehashed ?? '', pepper }));
    assert.deepEqual(again, { isRight: true, rehashed: null });
  });
});

describe('the queue of password hashing', () => {
  it('runs four at once, queues others in order, and refuses those beyond its bound', async () => {
    const hashing = { ...cheapHashing, maxAtOnce: 4, maxWaiting: 6 };
    const passwords = await openCredentials({ pepper, hashing });
    const order: number[] = [];
    let working = 0;
    let most = 0;
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const outcomes = Array.from({ length: 12 }, (_, n) =>
      passwords
        .withHashingSlot(async () => {
          working += 1;
          most = Math.max(most, working);
          order.push(n);
          await opened;
          working -= 1;
          if (n === 5) throw new Error('a turn that fails gives its place back too');
        })
        .then(
          () => 'done',
          (error: Error) => (error instanceof Refusal ? error.code : 'failed'),
        ),
    );
    open();
    assert.deepEqual(await Promise.all(outcomes), [
      ...['done', 'done', 'done', 'done', 'done', 'failed', 'done', 'done', 'done', 'done'],
      ...['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
    ]);
    assert.equal(most, 4);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
