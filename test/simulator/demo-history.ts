import type { ApplicationCore } from '#src/app/application-core.ts';
import { systemCall } from '#src/app/open-core.ts';
import { keyScopes } from '#src/contract/key-scopes.ts';
import type { Call } from '#src/kernel/call.ts';
import { samples } from './samples.ts';

/** Days of the history, and the milliseconds of one. */
export const historyDays = 90;
const dayMs = 86_400_000;

const keyNames = ['Importer', 'Research', 'Support bot'] as const;
const tags = ['atlas', 'newsletter', undefined] as const;
const videos = [samples.prose, samples.manyLanguages, samples.long] as const;

const search = { operation: 'search', query: 'light', limit: 5 } as const;

/** Requests of a day, from the day alone: more on weekdays and from month to month, and a peak here and there. */
const requestsOf = (day: number): number => {
  const isWeekend = day % 7 > 4;
  return (isWeekend ? 1 : 4) + Math.floor(day / 30) * 2 + ((day * 7) % 5) + (day % 23 === 11 ? 14 : 0);
};

/**
 * Ninety days of varied use of an account, the same each time: three keys, tags, operations. `at` sets the clock on
 * which `core` was opened.
 */
export const writeHistory = async (
  { commands, queries }: Pick<ApplicationCore, 'commands' | 'queries'>,
  { accountId, today, at }: { readonly accountId: string; readonly today: Date; readonly at: (now: Date) => void },
): Promise<void> => {
  const keys: { readonly keyId: string; readonly fullKey: string }[] = [];
  for (const name of keyNames) {
    const { keyId, fullKey } = await commands.createKey(
      { ...systemCall(accountId), actor: { type: 'operator', id: 'demo' } },
      { name, scopes: keyScopes, capCredits: null, expiresAt: null },
    );
    keys.push({ keyId, fullKey });
  }
  for (let day = 0; day < historyDays; day += 1) {
    const count = requestsOf(day);
    for (let n = 0; n < count; n += 1) {
      const hour = 7 + (13 * n) / count;
      at(new Date(today.getTime() - (historyDays - day) * dayMs + hour * 3_600_000));
      const choice = day * 5 + n * 3;
      const costTag = tags[choice % tags.length];
      // The look-up of a key, with which each request begins, records its last use.
      const holder = await queries.findKeyHolder(keys[choice % keys.length]?.fullKey ?? '');
      const call: Call = {
        ...systemCall(accountId),
        channel: 'rest',
        actor: { type: 'key', id: holder?.keyId ?? '' },
        ...(costTag === undefined ? {} : { costTag }),
      };
      await requestOnce(commands, call, choice);
    }
  }
};

const requestOnce = async (commands: ApplicationCore['commands'], call: Call, choice: number): Promise<unknown> => {
  const reference = videos[choice % videos.length] ?? samples.prose;
  const video = { reference, language: null };
  if (choice % 4 === 1) return await commands.performInsight(call, video, search);
  const shape = { format: 'json', timestamps: false, clean: false } as const;
  if (choice % 6 === 2) return await commands.readBatch(call, { references: [...videos], language: null, ...shape });
  return await commands.readTranscript(call, { ...video, ...shape });
};
