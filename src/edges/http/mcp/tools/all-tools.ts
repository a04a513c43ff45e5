import type { Commands } from '../../../../commands.ts';
import { ask } from '../../../../contract/operations/ask.ts';
import { finder } from '../../../../contract/operations.ts';
import { type FollowToolQueries, followTool, listFollowsTool } from './follows.ts';
import { getChunks } from './get-chunks.ts';
import { getTranscript } from './get-transcript.ts';
import { getVideo } from './get-video.ts';
import { getJob, type JobToolQueries, startJob } from './jobs.ts';
import { askOfLibrary, fetchKept, searchOfLibrary } from './library.ts';
import { listVideos } from './list-videos.ts';
import { operationTools } from './operations.ts';
import type { Tool } from './tool.ts';
import { type UsageToolQueries, usage } from './usage.ts';

/** What tools ask. */
export type ToolQueries = FollowToolQueries & JobToolQueries & UsageToolQueries;

export type ToolCommands = Pick<
  Commands,
  | 'performInsight'
  | 'quoteInsight'
  | 'quoteReading'
  | 'quoteLibrary'
  | 'readTranscript'
  | 'readChunks'
  | 'readVideo'
  | 'searchLibrary'
  | 'askLibrary'
  | 'newestVersion'
  | 'listSource'
  | 'planJob'
  | 'startJob'
  | 'cancelJob'
  | 'startFollow'
> &
  ToolQueries;

/** Every tool, in the order of `tools/list`, by name. */
export const toolsFor = (commands: ToolCommands): ReadonlyMap<string, Tool> => {
  const ofVideos = operationTools(commands).map((one) => {
    if (one.name === finder.name) return searchOfLibrary(one, commands);
    return one.name === ask.name ? askOfLibrary(one, commands) : one;
  });
  const reading = [getTranscript(commands), getVideo(commands), getChunks(commands), ...ofVideos, fetchKept(commands)];
  const many = [listVideos(commands), startJob(commands), getJob(commands)];
  const priced = [...reading, ...many, followTool(commands), listFollowsTool(commands)];
  return new Map([...priced, usage(commands, priced)].map((one) => [one.name, one]));
};
