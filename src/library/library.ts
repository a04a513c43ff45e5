import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event } from '../eventlog/event-schema.ts';

/**
 * One stream for each video of a library: it grows by one event when captions change, and by two when a video is removed and
 * kept again.
 */
export const streamOf = (accountId: string, videoId: string): string => `library-${accountId}-${videoId}`;

export const libraryEvents = {
  VideoKept: event(
    'Captions of a video were added to the library of the account. The text is stored in `library_versions`, never in the log.',
    {
      accountId: field.accountId,
      videoId: field.videoId,
      version: z.int().describe('version of the captions of this video, from 1'),
      contentSha256: z.string().describe('SHA-256 (hex) of the captions'),
      language: field.language,
      at: field.at,
    },
  ),
  VideoRemoved: event('A video was removed from the library of the account, with every version of its captions.', {
    accountId: field.accountId,
    videoId: field.videoId,
    at: field.at,
  }),
};

export type LibraryEvent = EventOf<typeof libraryEvents>;
export type VideoKept = EventOf<typeof libraryEvents, 'VideoKept'>;
export type VideoRemoved = EventOf<typeof libraryEvents, 'VideoRemoved'>;

/** `version`: the newest one, 0: the video is not kept. */
export type State = {
  readonly version: number;
  /** By language, the content of its newest version. */
  readonly contents: Readonly<Record<string, string>>;
};

export const initialState = (): State => ({ version: 0, contents: {} });

export const evolve = (state: State, { type, data }: LibraryEvent): State => {
  switch (type) {
    case 'VideoKept':
      return { version: data.version, contents: { ...state.contents, [data.language]: data.contentSha256 } };
    case 'VideoRemoved':
      return initialState();
  }
};
