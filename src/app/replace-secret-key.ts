import type { LiveProcess } from '../adapters/postgres/process-registry.ts';
import {
  formerRows,
  replaceAccountKeys,
  replaceAnswerKeys,
  replaceSecretKeys,
  type StoredKeys,
} from '../adapters/postgres/secret-keys/replace-keys.ts';
import { endReplacement } from '../adapters/postgres/secret-keys/secret-state.ts';
import { readState } from '../eventlog/read/read-state.ts';
import { every } from '../kernel/repeat.ts';
import * as webhook from '../webhooks/webhook.ts';
import type { CoreParts } from './application-core.ts';
import { passwordKeysOf } from './open-accounts.ts';
import type { SecretKeys } from './secret-keys.ts';

/** How often it is tried again while rows are held, or a process has the former key as its SECRET_KEY. */
const everyMs = 5_000;

/** The keys of everything that is stored. */
export const storedKeysOf = (secrets: SecretKeys): StoredKeys => ({
  mailboxes: secrets.ring('mailbox'),
  passwords: passwordKeysOf(secrets),
  webhookSecrets: webhookSecretKeysOf(secrets),
  answers: secrets.ring('idempotent answers'),
});

/** The keys of signing secrets. */
export const webhookSecretKeysOf = ({ ring, secretOf }: SecretKeys) => ({
  seals: ring('sealed webhook secrets'),
  secretOf,
});

/** What of an account is made from SECRET_KEY and stored nowhere: its signing secrets, which receivers know. */
const generationsOf =
  ({ log }: Pick<CoreParts, 'log'>) =>
  async (accountId: string) => {
    const { state } = await readState(log, webhook.streamOf(accountId), webhook);
    const owners = [
      { ownerId: accountId, signing: state.signing },
      ...state.webhooks.values().map(({ webhookId, signing }) => ({ ownerId: webhookId, signing })),
    ];
    return owners.flatMap(({ ownerId, signing: { generation, previousUntil } }) =>
      (previousUntil === null ? [generation] : [generation, generation - 1]).map((each) => ({
        ownerId,
        generation: each,
      })),
    );
  };

/**
 * Makes every stored row anew with SECRET_KEY while it replaces another key, in batches; each row knows its key, so that a
 * run goes on where any process ended. Several processes may run it at once. Once no row and no process has the former
 * key, it ends the replacement.
 */
export const replaceInBackground = (
  stack: AsyncDisposableStack,
  {
    processes,
    ...parts
  }: Pick<CoreParts, 'pool' | 'secrets' | 'log' | 'logger'> & { processes: () => Promise<readonly LiveProcess[]> },
): void => {
  const { pool, logger } = parts;
  const { replaces, currentId } = parts.secrets;
  if (replaces === null) return;
  const keys = storedKeysOf(parts.secrets);
  let isOver = false;
  const run = async (signal: AbortSignal): Promise<void> => {
    const isGoing = (): boolean => !signal.aborted;
    if (isOver) return;
    await inBatches(isGoing, '', (after) => replaceAccountKeys(pool, keys, generationsOf(parts), after));
    await inBatches(isGoing, null, () => replaceSecretKeys(pool, keys));
    await inBatches(isGoing, { accountId: '', route: '', key: '' }, (after) => replaceAnswerKeys(pool, keys, after));
    if (!isGoing()) return;
    const left = await formerRows(pool, currentId);
    const former = (await processes()).find(({ keyIds }) => keyIds[0] !== currentId);
    const isDone = left.accounts + left.secrets + left.answers === 0 && former === undefined;
    if (isDone) {
      isOver = true;
      if (await endReplacement(pool, replaces)) {
        logger.info('SECRET_KEY is replaced: SECRET_KEY_PREVIOUS can be removed');
      }
      return;
    }
    const process = former === undefined ? {} : { former_process: former.osPid };
    logger.info('SECRET_KEY is being replaced', { ...left, ...process });
  };
  const replacing = stack.use(
    every(everyMs, (error) => logger.warn('rows were not made with SECRET_KEY', { error }), run),
  );
  replacing.run();
};

const inBatches = async <Place>(
  isGoing: () => boolean,
  first: Place,
  batch: (after: Place) => Promise<{ readonly last: Place | null }>,
): Promise<void> => {
  for (let after: Place | null = first; after !== null && isGoing(); ) {
    after = (await batch(after)).last;
  }
};
