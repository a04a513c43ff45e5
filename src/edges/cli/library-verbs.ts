import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { timestampOf } from '../../commands.ts';
import * as endpoints from '../../contract/library.ts';
import { addListVerb, addServerVerb } from './server-verb.ts';
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
    without: ['q'],
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
  addServerVerb(library, terminal, {
    endpoint: endpoints.exportLibrary,
    name: 'export',
    about: 'export the library as a ZIP',
    options: [new Option('-o, --output <file>', 'file to write the archive to').makeOptionMandatory()],
    into: (_, { options: { output } }) => {
      const path = String(output);
      return (pieces) => writing(path, () => writeFile(path, pieces));
    },
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
    show: async (on, { changes }) => {
      for (const { change, timestamp, text } of changes) {
        await print(on, printable(`${change === 'added' ? '+' : '-'} ${timestamp}  ${text}`));
      }
      if (changes.length === 0) say(on, 'No differences.');
    },
  });
};
