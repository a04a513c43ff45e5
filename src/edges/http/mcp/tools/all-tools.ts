import type { Commands } from '../../../../commands.ts';
import { finder } from '../../../../contract/operations.ts';
import { type FollowToolDeps, followTool, listFollowsTool } from './follows.ts';
import { getChunks } from './get-chunks.ts';
import { getTranscript } from './get-transcript.ts';
import { getVideo } from './get-video.ts';
import { fetchKept, searchOfLibrary } from './library.ts';
import { operationTools } from './operations.ts';
import type { Tool } from './tool.ts';

export type ToolCommands = Pick<
  Commands,
  'performInsight' | 'readTranscript' | 'readChunks' | 'readVideo' | 'searchLibrary' | 'newestVersion'
> &
  FollowToolDeps;

/** Every tool, in the order of `tools/list`, by name. */
export const toolsFor = (commands: ToolCommands): ReadonlyMap<string, Tool> => {
  const ofVideos = operationTools(commands).map((one) =>
    one.name === finder.name ? searchOfLibrary(one, commands) : one,
  );
  const reading = [getTranscript(commands), getVideo(commands), getChunks(commands), ...ofVideos, fetchKept(commands)];
  const all = [...reading, followTool(commands), listFollowsTool(commands)];
  return new Map(all.map((one) => [one.name, one]));
};
