import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chargeIdOf } from '#src/credits/charge-credits.ts';
import { byExpiry, type Grant } from '#src/credits/credit-balance.ts';
import { type CreditsEvent, streamOf } from '#src/credits/credits.ts';
import { eventIdOf, reservedIdOf, resolutionIdOf } from '#src/credits/ledger/event-ids.ts';
import { idsOf } from '#src/credits/ledger/ledger-decider.ts';
import { dayBook, firstBook } from '#src/credits/plans/renew-period.ts';
import { callOf, transcriptCharge } from '#test/support/credits.ts';

const context = callOf('acc_1', { deduplicationKey: 'operation-1' });
const job = { reservationId: 'rsv_1', jobId: 'job_1' };
const charge = transcriptCharge(3);

/** The log takes an id once, for ever: a version that made others would do again what was done. */
describe('the id of an event in the log', () => {
  const paid = {
    accountId: 'acc_1',
    chargeId: 'charge-1',
    operation: 'transcript',
    amount: 3,
    requests: 1,
    priceBook: 'p',
    keyId: null,
    videoId: null,
    requestId: 'req_1',
    at: '',
  } as const;
  const opening = firstBook({ accountId: 'acc_1', plan: 'free' }, new Date('2026-01-31T00:00:00Z'));
  const allowance = dayBook({ accountId: 'acc_1', day: '2026-01-31', credits: 5 }, new Date(0));
  const closed: CreditsEvent = {
    type: 'BookClosed',
    data: { accountId: 'acc_1', nextStream: 'ledger-acc_1-2026-02', why: 'period_end', at: '' },
  };

  const about = { reference: null, refundedBefore: 0, openBook: '', amount: 1, why: '' };
  const refund = { context, charge: paid, ...about };

  for (const [what, ids, expected] of [
    [
      'charge',
      idsOf({ type: 'ChargeCredits', data: { context, charges: [charge] } }),
      ['e7f867ca-44b2-5bf8-a8e1-4e76c5f4463f'],
    ],
    [
      'grant',
      idsOf({ type: 'GrantCredits', data: { context, reference: 'gift', amount: 1, expiresAt: null } }),
      ['0b3304cb-edd4-5f36-8e19-67cf453574ae'],
    ],
    ['plan', idsOf({ type: 'AssignPlan', data: { context, plan: 'pro' } }), ['3b122f24-2539-574e-86bc-1155f8c78d5d']],
    ['refund', idsOf({ type: 'RefundCharge', data: refund }), ['c6ea8368-ba14-599e-951f-eac3182d7e3c']],
    [
      'refund with a name',
      idsOf({ type: 'RefundCharge', data: { ...refund, reference: 'late' } }),
      ['edf3a08e-61b1-5849-a5a4-067c86f19e22'],
    ],
    [
      'reservation',
      idsOf({ type: 'ReserveCredits', data: { context, ...job, amount: 1 } }),
      ['30013151-ff98-515f-a616-20069dc67ee8'],
    ],
    [
      'end of a reservation',
      idsOf({ type: 'ReleaseReservation', data: { context, ...job, itemId: null, amount: null, why: 'job_ended' } }),
      ['22830e6b-0346-5bf7-ae08-5b9a3618fe93'],
    ],
    [
      'record',
      idsOf({ type: 'RecordUnchargedRequests', data: { context, operation: 'raw', code: null } }),
      ['4bf8f816-f2b9-5d69-8b71-d478566f61c3'],
    ],
    [
      'opening of a book',
      opening.events.map(eventIdOf),
      ['9defa3e2-992f-521c-8b34-75eb9b1ac679', 'f4962a13-b538-5a30-88ba-7db70830c732'],
    ],
    [
      'book of a day',
      allowance.events.map(eventIdOf),
      ['ad00390f-7c2b-5da1-a775-eb6980d53c18', '32a2f2a0-70dd-5777-b760-272b6153dd96'],
    ],
    ['closing of a book', [eventIdOf(closed)], ['82950ea5-8056-5012-acde-cffe1efdd54a']],
  ] as const) {
    it(what, () => assert.deepEqual(ids, expected));
  }

  it('is the same for settlement and release of an item, and differs between items', () => {
    const settle = idsOf({
      type: 'SettleItem',
      data: { context, ...job, itemId: 'itm_1', attempt: 1, operation: 'job_item', amount: 1, videoId: null },
    });
    assert.deepEqual(settle, [resolutionIdOf('rsv_1', 'itm_1')]);
    const others = [
      resolutionIdOf('rsv_1', 'itm_2'),
      resolutionIdOf('rsv_1', null),
      resolutionIdOf('rsv_2', 'itm_1'),
      reservedIdOf('rsv_1'),
    ];
    assert.equal(new Set([...settle, ...others]).size, 5);
  });

  it('differs between the charges of one operation', () => {
    const ids = [
      chargeIdOf(context, charge),
      chargeIdOf(context, { ...charge, what: 'another' }),
      chargeIdOf(context, { ...charge, operation: 'raw' }),
      chargeIdOf({ ...context, deduplicationKey: 'operation-2' }, charge),
      chargeIdOf({ ...context, accountId: 'acc_2' }, charge),
    ];
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('the names of books', () => {
  it('sort in the order of the books', () => {
    const names = [1, 2, 9, 10, 100, 9_999, 10_000, 10_001, 99_999, 100_000, 2_000_000].map((part) =>
      streamOf('acc_1', '2026-01', part),
    );
    assert.deepEqual(names.toSorted(), names);
    assert.deepEqual(names.slice(0, 2), ['ledger-acc_1-2026-01', 'ledger-acc_1-2026-01.0002']);
  });
});

describe('grants', () => {
  it('have one order in every fold: by expiry, then by id, those without expiry last', () => {
    const grant = (grantId: string, expiresAt: string | null): Grant => ({
      grantId,
      kind: 'operator',
      remaining: 1,
      expiresAt,
    });
    const sorted = [
      grant('b', '2026-01-01'),
      grant('a', '2026-01-02'),
      grant('c', '2026-01-02'),
      grant('a', null),
      grant('z', null),
    ];
    for (let turn = 0; turn < sorted.length; turn += 1) {
      const turned = [...sorted.slice(turn), ...sorted.slice(0, turn)];
      assert.deepEqual(turned.toSorted(byExpiry), sorted);
      assert.deepEqual(turned.toReversed().toSorted(byExpiry), sorted);
    }
  });
});
