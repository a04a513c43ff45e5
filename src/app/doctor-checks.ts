import type { Config, Settings } from '../config.ts';
import type { Check } from '../edges/cli/operator-interface.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { ownValue } from '../kernel/own-value.ts';
import { checkDatabase, checkPlatform } from './check-database.ts';
import { checkAiProvider, checkEventStore, checkMail, checkRedis, outcomesOf } from './check-surroundings.ts';
import { noCache } from './local-reader.ts';

/**
 * The checks of `steno doctor`, one after the other; a failing check does not stop the others. `secretKey` null: there is no
 * database yet, and none is created.
 */
export async function* checkSetup(
  config: Config | (Settings & { readonly secretKey: null }),
  { logger, clock = systemClock }: { readonly logger: Logger; readonly clock?: Clock },
): AsyncGenerator<Check> {
  yield outcomesOf('node').ok(`${process.version} on ${process.platform} ${process.arch}`);
  const settings = outcomesOf('settings');
  if (config.warnings.length === 0) yield settings.ok('no warnings');
  for (const warning of config.warnings) yield settings.warning(warning, fixOf(warning));
  yield await checkRedis(config);
  yield await checkEventStore(config);
  yield await checkAiProvider(config);
  yield await checkMail(config);
  if (config.secretKey !== null) return yield* checkDatabase(config, { logger, clock });
  yield outcomesOf('database').ok(`none yet: the first start creates one in ${config.dataDir}`);
  yield await checkPlatform(config, noCache, { logger, clock });
}

/** The remedy by the setting that a warning begins with. */
const fixes: Readonly<Record<string, string>> = {
  SECRET_KEY:
    'generate one with: openssl rand -base64 48; if a database exists, set the current key as SECRET_KEY_PREVIOUS (docs/backup.md, Another SECRET_KEY)',
  PUBLIC_URL: 'set PUBLIC_URL to the https address at which callers reach the service',
  TRUSTED_PROXIES: 'list only the networks of the load balancers',
};

const fixOf = (warning: string): string => {
  if (/ is not a setting;/.test(warning)) return 'rename or remove it; docs/settings.md lists every setting';
  return ownValue(fixes, warning.slice(0, warning.indexOf(' '))) ?? 'unset it in production';
};
