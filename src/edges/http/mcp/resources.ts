import { RpcError, rpcCodes } from './json-rpc.ts';
import { acceptedPrice } from './tools/tool.ts';
import { transcriptViewUri } from './transcript-view.ts';

const uriTemplate = 'transcript://{video_id}{?lang,accept_price}';

/** The entries of `resources/templates/list`. */
export const resourceTemplates = [
  {
    uriTemplate,
    name: 'transcript',
    title: 'Transcript of a video',
    description:
      'What is said in a video, in paragraphs with times. Costs what get_transcript costs; a long one is truncated and says how to continue. accept_price agrees to a price that the account wants to be asked about.',
    mimeType: 'text/plain',
  },
] as const;

const form = /^transcript:\/\/([^?#]{1,6144})(?:\?([^#]{1,200}))?$/;

const parameters: ReadonlySet<string> = new Set(['lang', acceptedPrice]);

/** The arguments of `get_transcript` that a resource names. */
export const transcriptNamed = (uri: unknown): Readonly<Record<string, string>> => {
  const parts = typeof uri === 'string' ? form.exec(uri) : null;
  const videoId = decoded(parts?.[1]);
  const query = [...new URLSearchParams(parts?.[2])];
  if (videoId === null || query.some(([name]) => !parameters.has(name))) {
    const message = `Unknown resource. There are ${uriTemplate} and ${transcriptViewUri}`;
    throw new RpcError(rpcCodes.invalidParams, message, { data: { uri } });
  }
  return { ...Object.fromEntries(query), video_id: videoId };
};

const decoded = (part: string | undefined): string | null => {
  if (part === undefined) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
};
