import { ask } from '../../../../contract/operations/ask.ts';
import { finder } from '../../../../contract/operations.ts';
import type { WholeApplication } from '../../middleware/route.ts';
import { followTool, listFollowsTool } from './follows.ts';
import { getChunks } from './get-chunks.ts';
import { getTranscript } from './get-transcript.ts';
import { getVideo } from './get-video.ts';
import { getJob, startJob } from './jobs.ts';
import { askOfLibrary, fetchKept, searchOfLibrary } from './library.ts';
import { listVideos } from './list-videos.ts';
import { operationTools } from './operations.ts';
import type { Tool } from './tool.ts';
import { usage } from './usage.ts';

/** Every tool, in the order of `tools/list`, by name. */
export const toolsFor = (app: WholeApplication): ReadonlyMap<string, Tool> => {
  const ofVideos = operationTools(app).map((one) => {
    if (one.name === finder.name) return searchOfLibrary(one, app);
    return one.name === ask.name ? askOfLibrary(one, app) : one;
  });
  const reading = [getTranscript(app), getVideo(app), getChunks(app), ...ofVideos, fetchKept(app)];
  const many = [listVideos(app), startJob(app), getJob(app)];
  const priced = [...reading, ...many, followTool(app), listFollowsTool(app)];
  return new Map([...priced, usage(app, priced)].map((one) => [one.name, one]));
};
