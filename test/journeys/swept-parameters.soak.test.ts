import { sweep } from '#test/support/swept-parameters.ts';

const years = ['0000', '0001', '1969', '9999', '10000', '-0001', '+275760', '275761'];
const dates = years.flatMap((year) => [
  `${year}-01-01`,
  `${year}-12-31T23:59:59.999Z`,
  `${year}-12-31T23:59:59-23:59`,
  `${year}-01-01T00:00:00+23:59`,
]);
const numbers = [
  ...['-1', '0', '1', '1.5', '1e3', '1e400', '0x10', 'NaN', 'Infinity', '-0', ' 1', '１'],
  ...['2147483648', '9007199254740993', '9223372036854775808', '9'.repeat(18), '9'.repeat(400)],
];
const cursors = ['', '\0', "'", '0.itm_0', `${'9'.repeat(18)}.itm_${'f'.repeat(80)}`, 'itm_', 'ä'];
const odd = ['2026-02-30', '2026-13-01', '2026-01-01T24:00:00Z', '2026-01-01T00:00:60Z'];
const texts = [...dates, ...numbers, ...cursors, ...odd];
/** As JSON has them besides. */
const values = [-1, 0, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, null, true, [], {}];

sweep(texts, values);
