import type { Commands } from '../../../commands.ts';
import { readVideo } from '../../../contract/videos.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

/** What is known of a video, without its captions. */
export const videos = ({ commands }: { readonly commands: Pick<Commands, 'readVideo'> }): Route[] => [
  keyRoute(readVideo, async ({ call, params: { videoId } }) => {
    const read = await commands.readVideo(call, { reference: videoId });
    return json(read.video, { headers: receiptHeaders(read) });
  }),
];
