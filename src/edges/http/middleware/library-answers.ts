import type { z } from 'zod';
import { answerResult, type Commands, toJson, toMarkdown } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { type librarySearchQuery, libraryVersionSchema } from '../../../contract/library.ts';
import { unavailableJson } from '../../../contract/operations.ts';
import { type HttpResponse, inPieces } from './response.ts';
import { type ArchiveFile, zipOf } from './zip-archive.ts';

const versionAnswer = answerOf(libraryVersionSchema);

type Export = Commands['exportLibrary'];

/** What an account keeps, as a ZIP that is made while it is sent. */
export const libraryArchive = (
  commands: Pick<Commands, 'exportLibrary'>,
  call: Parameters<Export>[0],
  page: Parameters<Export>[1],
): HttpResponse => {
  const versions = commands.exportLibrary(call, page);
  return inPieces((signal) => zipOf(filesOf(versions(signal))), {
    contentType: 'application/zip',
    headers: { 'Content-Disposition': 'attachment; filename="library.zip"' },
  });
};

type KeptVersion = Awaited<ReturnType<Commands['libraryVersion']>>;

/** A version, as the API shows it. */
export const versionJson = (version: Pick<KeptVersion, 'version' | 'contentSha256' | 'language' | 'firstSeenAt'>) =>
  versionAnswer(version, { content_hash: version.contentSha256 });

/** A version with its captions. */
export const versionTextJson = (kept: KeptVersion) => ({
  video_id: kept.transcript.videoId,
  ...versionJson(kept),
  segments: toJson(kept.transcript).segments,
});

/** The search that a query describes. */
export const librarySearchOf = (
  query: z.output<typeof librarySearchQuery>,
): Parameters<Commands['searchLibrary']>[1] => {
  const { q, lang = null, channel = null, from = null, to = null, limit } = query;
  return { query: q, limit, filter: { language: lang, channel, from, to } };
};

/** The answer to a question about all kept videos, as the API and the tools show it. */
export const libraryAnswerJson = (question: string, answered: Awaited<ReturnType<Commands['askLibrary']>>) => {
  const { model, isFallback, unavailable } = answered;
  return { question, ...answerResult(answered), model, fallback: isFallback, ...unavailableJson(unavailable) };
};

/** Two files for each version, in a folder for each video. */
async function* filesOf(kept: AsyncIterable<KeptVersion>): AsyncIterable<ArchiveFile> {
  for await (const version of kept) {
    const { transcript } = version;
    const name = `${transcript.videoId}/${version.version}.${version.language}`;
    const { title, channel } = transcript;
    yield { name: `${name}.md`, text: toMarkdown(transcript, { timestamps: false }) };
    yield { name: `${name}.json`, text: JSON.stringify({ title, channel, ...versionTextJson(version) }) };
  }
}
