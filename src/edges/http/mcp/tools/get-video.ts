import { z } from 'zod';
import { readVideo, videoTool } from '../../../../contract/videos.ts';
import { json, receiptHeaders } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { ofVideo, type Tool, tool } from './tool.ts';

/** What is known of a video, as `GET /v1/videos/{videoId}` answers it. */
export const getVideo = ({ commands }: Application<'readVideo'>): Tool =>
  tool({
    ...videoTool,
    scope: readVideo.scope,
    operation: readVideo.operation,
    input: z.object({ video_id: ofVideo.video_id }),
    // A schema would be in the context of every model, and all of the answer says what it is.
    output: null,
    prepare:
      ({ video_id: reference }) =>
      async (call) => {
        const read = await commands.readVideo(call, { reference });
        return json(read.video, { headers: receiptHeaders(read) });
      },
  });
