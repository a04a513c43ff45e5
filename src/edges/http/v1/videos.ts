import { readVideo } from '../../../contract/videos.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

/** What is known of a video, without its captions. */
export const videos = ({ commands }: Application<'readVideo'>): Route[] => [
  keyRoute(readVideo, async ({ call, params: { videoId } }) => {
    const read = await commands.readVideo(call, { reference: videoId });
    return json(read.video, { headers: receiptHeaders(read) });
  }),
];
