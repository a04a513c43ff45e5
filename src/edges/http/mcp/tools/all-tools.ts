import type { Commands } from '../../../../commands.ts';
import { getChunks } from './get-chunks.ts';
import { getTranscript } from './get-transcript.ts';
import { getVideo } from './get-video.ts';
import { operationTools } from './operations.ts';
import type { Tool } from './tool.ts';

export type ToolCommands = Pick<Commands, 'performInsight' | 'readTranscript' | 'readChunks' | 'readVideo'>;

/** Every tool, in the order of `tools/list`, by name. */
export const toolsFor = (commands: ToolCommands): ReadonlyMap<string, Tool> => {
  const all = [getTranscript(commands), getVideo(commands), getChunks(commands), ...operationTools(commands)];
  return new Map(all.map((one) => [one.name, one]));
};
