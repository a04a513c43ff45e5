import type { Command } from 'commander';
import type { z } from 'zod';
import * as endpoints from '../../contract/follows.ts';
import { addListVerb, addServerVerb } from './server-verb.ts';
import { type Columns, printFields } from './table.ts';
import { print, remark, say, type Terminal } from './terminal.ts';

type Follow = z.output<typeof endpoints.followSchema>;

/** The follows of the account of the key, and `check`, by which an operator looks at a source. */
export const addFollowVerbs = (follows: Command, terminal: Terminal): void => {
  addCreate(follows, terminal);
  addListVerb(follows, terminal, { endpoint: endpoints.listFollows, name: 'list', columns: followColumns });
  addServerVerb(follows, terminal, { endpoint: endpoints.readFollow, name: 'get', show: showFollow });
  addListVerb(follows, terminal, {
    endpoint: endpoints.listFollowedVideos,
    name: 'videos',
    columns: {
      video: 'video_id',
      status: 'status',
      credits: 'credits_charged',
      job: 'job_id',
      found: 'found_at',
      error: 'error_code',
      title: 'title',
    },
  });
  addServerVerb(follows, terminal, { endpoint: endpoints.editFollow, name: 'update', show: showFollow });
  addServerVerb(follows, terminal, { endpoint: endpoints.pauseFollow, name: 'pause', show: showFollow });
  addServerVerb(follows, terminal, { endpoint: endpoints.resumeFollow, name: 'resume', show: showFollow });
  addServerVerb(follows, terminal, { endpoint: endpoints.rotateFeed, name: 'rotate-feed', show: showFollow });
  addServerVerb(follows, terminal, {
    endpoint: endpoints.endFollow,
    name: 'delete',
    show: async (on, _, { args: [follow] }) => print(on, `${follow} has ended`),
  });
  addCheck(follows, terminal);
};

const addCreate = (follows: Command, terminal: Terminal): void =>
  addServerVerb(follows, terminal, {
    isSentOnce: true,
    endpoint: endpoints.createFollow,
    name: 'create',
    about: 'follow a channel or playlist; prints the id of the follow',
    args: [['<source>', 'channel (id, @handle, link) or playlist (id, link)']],
    show: async (on, { id, source, next_look_at }) => {
      await print(on, id);
      remark(on, `${source.title ?? source.id}: next check ${next_look_at ?? 'not scheduled'}`);
    },
  });

const followColumns: Columns<Follow> = {
  id: 'id',
  status: ({ status, reason, waiting_for }) => [status, reason ?? waiting_for].filter(Boolean).join(': '),
  used: ({ credits_used, max_credits_per_period }) => `${credits_used}/${max_credits_per_period}`,
  'next check': 'next_look_at',
  source: ({ source }) => source.title ?? source.id,
};

const showFollow = (terminal: Terminal, follow: Follow): Promise<void> =>
  printFields(terminal, {
    id: follow.id,
    source: `${follow.source.kind} ${follow.source.id}`,
    title: follow.source.title,
    status: follow.status,
    reason: follow.reason ?? follow.waiting_for,
    credits_used: follow.credits_used,
    max_credits_per_period: follow.max_credits_per_period,
    interval_seconds: follow.interval_seconds,
    last_look: follow.last_look_at,
    next_look: follow.next_look_at,
    feed: follow.feed_url,
    created: follow.created_at,
  });

/** For operators: looks at the source now, without a limit; workers read what is new. */
const addCheck = (follows: Command, terminal: Terminal): void => {
  follows
    .command('check')
    .description('check the source of any follow now, on the database of this machine')
    .argument('<follow>', 'id of the follow')
    .option('--json', 'print JSON')
    .action(async (followId: string, { json = false }: { readonly json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const { found } = await application.commands.lookAtFollow({ followId });
      if (json) await print(terminal, JSON.stringify({ found }));
      else if (found === null) say(terminal, 'The platform refuses the source.');
      else await print(terminal, `${found} new`);
    });
};
