import { RpcError, rpcCodes } from './json-rpc.ts';

/** The entries of `resources/templates/list`. */
export const resourceTemplates = [
  {
    uriTemplate: 'transcript://{video_id}{?lang}',
    name: 'transcript',
    title: 'Transcript of a video',
    description:
      'What is said in a video, in paragraphs with times. Costs what get_transcript costs; a long one is cut and says how to go on.',
    mimeType: 'text/plain',
  },
] as const;

const form = /^transcript:\/\/([^?#]{1,6144})(?:\?lang=([^&#]{1,64}))?$/;

/** The arguments of `get_transcript` that a resource names. */
export const transcriptNamed = (uri: unknown): Readonly<Record<string, string>> => {
  const parts = typeof uri === 'string' ? form.exec(uri) : null;
  const [videoId, lang] = [decoded(parts?.[1]), decoded(parts?.[2])];
  if (videoId === null) {
    const message = 'Unknown resource. There is transcript://{video_id}{?lang}';
    throw new RpcError(rpcCodes.invalidParams, message, { data: { uri } });
  }
  return { video_id: videoId, ...(lang === null ? {} : { lang }) };
};

const decoded = (part: string | undefined): string | null => {
  if (part === undefined) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
};
