import { ledgerAt } from './bench-ledger.ts';
import { rate } from './rate.ts';

/** Charges the hot account from a separate process. Arguments: database, callers, seconds. */
const [url = '', callers = '', seconds = ''] = process.argv.slice(2);
await using opened = ledgerAt(url);
const faults: string[] = [];
const perSecond = await rate(Number(callers), Number(seconds), () =>
  opened.charge().catch((error: unknown) => faults.push(String(error))),
);
process.send?.({ perSecond, faults });
process.disconnect();
