import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { timestampOf } from '../../commands.ts';
import * as endpoints from '../../contract/library.ts';
import { optionsOf, requestTo } from './endpoint-request.ts';
import { waiting } from './progress.ts';
import type { ServerOptions } from './server-login.ts';
import { addListVerb, addServerVerb, openServer, withServer } from './server-verb.ts';
import { printable } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';
import { writing } from './write-file.ts';

/** The library of the account of the key: `steno library list`, `search`, `ask`, `versions`, `version`, `diff`, `export`, `remove`, `clear`. */
export const addLibraryVerbs = (library: Command, terminal: Terminal): void => {
  addListVerb(library, terminal, {
    endpoint: endpoints.listLibrary,
    name: 'list',
    columns: { video: 'video_id', language: 'language', kept: 'kept_at', channel: 'channel', title: 'title' },
  });
  addServerVerb(library, terminal, {
    endpoint: endpoints.searchLibrary,
    name: 'search',
    args: [['<query>', 'query; "words in quotation marks" in this order, -word is excluded']],
    options: optionsOf(endpoints.searchLibrary, {
      lang: 'only captions of this language',
      channel: 'only videos of this channel, by id or name',
      from: 'only what was kept at this time or later',
      to: 'only what was kept at this time or before',
      limit: 'maximum passages to print',
    }),
    members: ({ args: [q] }) => ({ q }),
    show: async (on, answer) => {
      const { results } = endpoints.librarySearchResults.parse(answer);
      for (const { video_id, timestamp, text, title } of results) {
        await print(on, printable(`${video_id}  ${timestamp}  ${title ?? ''}`));
        await print(on, printable(`  ${text}`));
      }
      if (results.length === 0) say(on, 'No results.');
    },
  });
  addAsk(library, terminal);
  addVersions(library, terminal);
  withServer(library.command('export').description('export the library as a ZIP'))
    .requiredOption('-o, --output <file>', 'file to write the archive to')
    .action(async ({ output, ...options }: ServerOptions & { readonly output: string }) => {
      const client = await openServer(terminal, options);
      using _ = waiting(terminal);
      await client.download(requestTo(endpoints.exportLibrary), (pieces) =>
        writing(output, () => writeFile(output, pieces)),
      );
    });
  addServerVerb(library, terminal, {
    endpoint: endpoints.removeFromLibrary,
    name: 'remove',
    show: async (on) => say(on, 'Removed.'),
  });
  addServerVerb(library, terminal, {
    endpoint: endpoints.clearLibrary,
    name: 'clear',
    show: async (on) => say(on, 'The library is empty.'),
  });
};

const addAsk = (library: Command, terminal: Terminal): void =>
  addServerVerb(library, terminal, {
    isSentOnce: true,
    endpoint: endpoints.askLibrary,
    name: 'ask',
    args: [['<question>', 'the question']],
    options: optionsOf(endpoints.askLibrary, { output_lang: null, cost_tag: 'what its cost is assigned to' }),
    members: ({ args: [question] }) => ({ question }),
    show: async (on, sent) => {
      const { answer, citations } = endpoints.libraryAnswer.parse(sent);
      await print(on, printable(answer));
      for (const { video_id, timestamp, text } of citations) {
        await print(on, printable(`\n${video_id}  ${timestamp}  ${text}`));
      }
    },
  });

const addVersions = (library: Command, terminal: Terminal): void => {
  addListVerb(library, terminal, {
    endpoint: endpoints.listVersions,
    name: 'versions',
    columns: { version: 'version', language: 'language', seen: 'first_seen_at', content: 'content_hash' },
  });
  addServerVerb(library, terminal, {
    endpoint: endpoints.readVersion,
    name: 'version',
    show: async (on, { segments }) => {
      for (const { start, text } of segments) await print(on, printable(`[${timestampOf(start * 1_000)}] ${text}`));
    },
  });
  addServerVerb(library, terminal, {
    endpoint: endpoints.compareVersions,
    name: 'diff',
    args: [
      ['<video>', 'video id or link'],
      ['<from>', 'number of the earlier version'],
      ['<to>', 'number of the later version'],
    ],
    members: ({ args: [, from, to] }) => ({ from, to }),
    show: async (on, { changes }) => {
      for (const { change, timestamp, text } of changes) {
        await print(on, printable(`${change === 'added' ? '+' : '-'} ${timestamp}  ${text}`));
      }
      if (changes.length === 0) say(on, 'No differences.');
    },
  });
};
