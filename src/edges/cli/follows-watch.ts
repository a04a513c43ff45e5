import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { followEventData, watchFollow } from '../../contract/follows.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { requestTo } from './endpoint-request.ts';
import type { ServerClient } from './server-client.ts';
import { isTemporary } from './server-error.ts';
import type { ServerOptions } from './server-login.ts';
import type { ServerEvent } from './server-text.ts';
import { openServer, withServer } from './server-verb.ts';
import { print, type Terminal } from './terminal.ts';

/** `steno follows watch`: what happens in a follow, from its beginning or after one event, until it has ended. */
export const addFollowsWatch = (follows: Command, terminal: Terminal): void => {
  const watch = follows
    .command('watch')
    .description('print the events of a follow until it ends')
    .argument('<follow>', 'id of the follow');
  withServer(watch)
    .option('--after <id>', 'begin after this event, by its id in --json', '0')
    .option('--json', 'print one JSON object per event')
    .action(async (followId: string, options: ServerOptions & { after: string; json?: boolean }) => {
      const client = await openServer(terminal, options);
      const { path } = requestTo(watchFollow, [followId]);
      for await (const event of watchedEvents(client, path, options.after, terminal.signal)) {
        await print(terminal, options.json === true ? jsonLine(event) : plainLine(event));
      }
    });
};

/** The pause before a stream is opened again. */
const reopenAfterMs = 1_000;
/** Streams in a row that could not be opened, after which the watch fails. */
const maxFailures = 10;

/** The events at a path after one id, over as many streams as it takes, until nothing follows. */
async function* watchedEvents(
  client: ServerClient,
  path: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  let [last, failures] = [after, 0];
  for (;;) {
    try {
      const events = await client.follow(path, last);
      if (events === null) return;
      failures = 0;
      for await (const event of events) {
        yield event;
        last = event.id;
      }
    } catch (error) {
      failures += 1;
      if (!isTemporary(error) || failures > maxFailures) throw error;
    }
    await pause(reopenAfterMs, undefined, { signal });
  }
}

const { at, reason } = followEventData.follow.shape;
const { video_id, job_id, error_code } = followEventData.video.shape;
const Shown = z.object({ reason, video_id, job_id, error_code }).partial().extend({ at, status: z.string() });

const jsonLine = ({ id, event, data }: ServerEvent): string =>
  JSON.stringify({ id, event, ...(parseJson(data) as object) });

const plainLine = ({ event, data }: ServerEvent): string => {
  const shown = Shown.parse(parseJson(data));
  const more = shown.reason ?? shown.error_code ?? shown.job_id ?? '';
  return `${shown.at} ${shown.video_id ?? event} ${shown.status} ${more}`.trimEnd();
};
