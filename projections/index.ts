import type { Projection } from '../src/eventlog/projection.ts';
import { balances } from './balances.ts';
import { keys } from './keys.ts';
import { receipts } from './receipts.ts';
import { usage } from './usage.ts';

/** Every read model that a subscription keeps. */
export const projections = [usage, balances, receipts, keys] as unknown as readonly Projection[];
