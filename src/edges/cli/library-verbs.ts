import type { Command, Option } from 'commander';
import * as endpoints from '../../contract/library.ts';
import { optionsOf } from './endpoint-request.ts';
import { addListVerb, addServerVerb } from './server-verb.ts';
import { printable } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';

/** The library of the account of the key: `steno library list`, `search`, `remove`, `clear`. */
export const addLibraryVerbs = (library: Command, terminal: Terminal): void => {
  addListVerb(library, terminal, {
    endpoint: endpoints.listLibrary,
    name: 'list',
    columns: [
      ['video', ({ video_id }) => video_id],
      ['language', ({ language }) => language],
      ['kept', ({ kept_at }) => kept_at],
      ['channel', ({ channel }) => channel],
      ['title', ({ title }) => title],
    ],
  });
  addServerVerb(library, terminal, {
    endpoint: endpoints.searchLibrary,
    name: 'search',
    args: [['<query>', 'what is looked for; "words in quotation marks" word by word, -word is left out']],
    options: searchOptions(),
    members: ({ args: [q] }) => ({ q }),
    show: async (on, { results }) => {
      for (const { video_id, timestamp, text, title } of results) {
        await print(on, printable(`${video_id}  ${timestamp}  ${title ?? ''}`));
        await print(on, printable(`  ${text}`));
      }
      if (results.length === 0) say(on, 'Nothing was found.');
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

/** Each parameter of the search but the query, which is an argument. */
const searchOptions = (): Option[] =>
  optionsOf(endpoints.searchLibrary, {
    lang: 'only captions of this language',
    channel: 'only videos of this channel, by id or name',
    from: 'only what was kept at this time or later',
    to: 'only what was kept at this time or before',
    limit: 'at most so many passages',
  });
