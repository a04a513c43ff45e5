import type { Commands } from '../../../../commands.ts';
import { insightAnswer } from '../../v1/ai.ts';
import { getTranscript } from './get-transcript.ts';
import { insightTools } from './insights.ts';
import type { Tool } from './tool.ts';
import { translate } from './translate.ts';

export type ToolCommands = Pick<Commands, 'performInsight' | 'readTranscript'>;

/** Every tool, in the order of `tools/list`, by name. */
export const toolsFor = (commands: ToolCommands): ReadonlyMap<string, Tool> => {
  const answer = insightAnswer(commands);
  const all = [getTranscript(commands), ...insightTools(answer), translate(answer)];
  return new Map(all.map((one) => [one.name, one]));
};
