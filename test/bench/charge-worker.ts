import { ledgerAt } from './charging.ts';
import { rate } from './rate.ts';

/** Charges the hot account from a process of its own: arguments are the database, callers and seconds. */
const [url = '', callers = '', seconds = ''] = process.argv.slice(2);
await using opened = ledgerAt(url);
const faults: string[] = [];
const perSecond = await rate(Number(callers), Number(seconds), () =>
  opened.charge().catch((error: unknown) => faults.push(String(error))),
);
process.send?.({ perSecond, faults });
process.disconnect();
