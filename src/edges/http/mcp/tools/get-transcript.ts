import { z } from 'zod';
import { renderTranscript, type ShapedTranscript, type Transcript, timestampOf } from '../../../../commands.ts';
import { aboutFormat, formatNamed, formats, formatsWithWords, plainFormat } from '../../../../contract/formats.ts';
import { captionsWanted, formatName } from '../../../../contract/transcripts.ts';
import { besidesBody } from '../../../../contract/video-details.ts';
import { memoizeByObject } from '../../../../kernel/memoize.ts';
import { bytes, receiptHeaders } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { bodyOf, transcriptJson } from '../../middleware/transcript-body.ts';
import { cursorText, cutNote, estimateTokens, pageOf, type Range, rangeOf } from '../paging.ts';
import { shownInView } from '../transcript-view.ts';
import { captionsKept, cursorFor, ofPages, ofVideo, quoteOfCaptions, type Tool, tool } from './tool.ts';

const input = z.object({
  ...ofVideo,
  format: formatName
    .optional()
    .meta({ description: 'omit for paragraphs with a [mm:ss] time about every 30 seconds, the cheapest form' }),
  timestamps: z.boolean().optional().meta({ description: 'with format: a [mm:ss] before each caption' }),
  clean: z.boolean().optional().meta({ description: 'without music notes and cues such as [Music] or (laughs)' }),
  lang: ofVideo.lang.meta({ description: 'of the captions; several by preference: de,en; never substituted' }),
  captions: ofVideo.captions.meta({ description: 'omit for any, manual before automatic' }),
  asr: ofVideo.asr.meta({ description: 'auto: recognize speech where there are no captions; force: in any video' }),
  keep: ofVideo.keep.meta({ description: 'keep it in the library of the account' }),
  words: z
    .boolean()
    .optional()
    .meta({ description: `with ${formatsWithWords.join(' or ')}: the time of each word of automatic captions` }),
  include: besidesBody.include
    .unwrap()
    .optional()
    .meta({ description: 'with format json: video, what get_video says' }),
  count_tokens: z.boolean().optional().meta({ description: 'with format json: token_count of the whole text' }),
  start: ofPages.start.meta({ description: 'begin at this time: seconds, m:ss or h:mm:ss' }),
  end: ofPages.end.meta({ description: 'stop before this time: seconds, m:ss or h:mm:ss' }),
  max_tokens: ofPages.max_tokens.meta({
    description: 'size of a page, estimated: 4 characters per token, 1 for CJK characters',
  }),
  cursor: ofPages.cursor.meta({ description: 'from the end of the page before, to go on with the next one' }),
});

/** Reads what a video says, whole or page by page; charged as `GET /v1/transcripts/{videoId}` is. */
export const getTranscript = ({ commands }: Application<'quoteReading' | 'readTranscript'>): Tool =>
  tool({
    name: 'get_transcript',
    title: 'Get a transcript',
    description: [
      'Reads what is said in a video, as text with times.',
      'Use it to read a video, or a part of it by start and end; for one moment of a long video use search or chapters first, which cost far fewer tokens.',
      'Long transcripts come in pages: the last line says how to continue, and each page costs as much as a call.',
    ].join(' '),
    scope: 'transcripts',
    operation: 'transcript',
    input,
    output: null,
    meta: { 'anthropic/maxResultSizeChars': 500_000, ...shownInView },
    quote: quoteOfCaptions(commands),
    prepare(args) {
      const wanted = wantedOf(args);
      return async (call) => {
        const { captions, format, timestamps, clean, range, includesVideo, countsTokens } = wanted;
        const read = await commands.readTranscript(call, {
          ...{ reference: args.video_id, ...captionsWanted(captions), timestamps, clean, range },
          format: format ?? plainFormat,
          ...(includesVideo ? { includesVideo } : {}),
          ...(countsTokens ? { countsTokens } : {}),
        });
        return bytes(textOf(read, wanted), {
          contentType: 'text/plain; charset=utf-8',
          headers: receiptHeaders(read),
          isCacheHit: read.isCacheHit,
        });
      };
    },
  });

/** `format`: null for paragraphs with times. */
const wantedOf = (args: z.output<typeof input>) => {
  const cursor = cursorFor(args);
  const kept = cursor?.options ?? {};
  const named = args.format ?? (typeof kept['format'] === 'string' ? kept['format'] : null);
  return {
    captions: captionsKept(args, cursor),
    format: named === null ? null : formatNamed(named),
    timestamps: args.timestamps ?? kept['timestamps'] === true,
    clean: args.clean ?? kept['clean'] === true,
    includesVideo: args.include?.includes('video') ?? kept['include'] === 'video',
    countsTokens: args.count_tokens ?? kept['count_tokens'] === true,
    range: rangeOf(args, cursor),
    maxTokens: args.max_tokens,
  };
};

type TranscriptArguments = ReturnType<typeof wantedOf>;

/** The whole text, byte-equal to the answer of REST, where it fits; else a page of it. */
const textOf = (read: ShapedTranscript, wanted: TranscriptArguments): Buffer | string => {
  const { transcript } = read;
  const { format, timestamps, range, maxTokens } = wanted;
  const isWhole = range.fromMs === 0 && range.untilMs === null && range.skip === null;
  if (isWhole) {
    const whole = format === null ? keptParagraphs(transcript) : bodyOf(read);
    if (tokensOf(whole) <= maxTokens) return whole;
  }
  const perCue = formats[format ?? plainFormat].tokensPerCue;
  const perWord = aboutFormat(format ?? plainFormat).tokensPerWord ?? 0;
  const page = pageOf(transcript.cues, range, { maxTokens, tokensPerCue: perCue, tokensPerWord: perWord });
  const part = { ...transcript, cues: page.cues };
  const cursor = page.next === null ? null : cursorText(nextOf(transcript, wanted, page.next));
  if (format === 'json') {
    const body = transcriptJson(part);
    return JSON.stringify(cursor === null ? body : { ...body, next_cursor: cursor });
  }
  const text = format === null ? paragraphs(part) : renderTranscript(part, { format, timestamps });
  if (page.next === null || cursor === null) return text;
  // Without a blank line before it, it would be text of the last cue of a subtitle file.
  const gap = format !== null && aboutFormat(format).isSubtitle === true && !text.endsWith('\n\n') ? '\n' : '';
  return `${text}${gap}${cutNote(page.next, range.untilMs ?? endOf(transcript), cursor)}\n`;
};

/** Estimated once for a text that is kept. */
const tokensOf = memoizeByObject((whole: Buffer) => estimateTokens(whole.toString()));

const nextOf = ({ videoId }: Transcript, wanted: TranscriptArguments, range: Range) => {
  const { captions, format, timestamps, clean, includesVideo, countsTokens } = wanted;
  return {
    videoId,
    range,
    options: {
      ...captions,
      ...(format === null ? {} : { format }),
      ...(timestamps ? { timestamps } : {}),
      ...(clean ? { clean } : {}),
      ...(includesVideo ? { include: 'video' } : {}),
      ...(countsTokens ? { count_tokens: true } : {}),
    },
  };
};

const endOf = ({ durationS, cues }: Transcript): number =>
  durationS === null ? (cues.at(-1)?.endMs ?? 0) : durationS * 1000;

/** A paragraph ends with the first caption that begins so long after it. */
const paragraphMs = 30_000;

/** Written once per transcript object, which is kept and given out again and again. */
const keptParagraphs = memoizeByObject((transcript: Transcript) => Buffer.from(paragraphs(transcript)));

/** A title line, then paragraphs of about 30 seconds with the time at which each begins. */
const paragraphs = (transcript: Transcript): string => {
  const { title, videoId, language, source, cues } = transcript;
  const heading = (title ?? '').replace(/\s+/g, ' ').trim() || videoId;
  let text = `# ${heading} (${[videoId, language, source].filter(Boolean).join(', ')})\n`;
  let sinceMs = Number.NEGATIVE_INFINITY;
  for (const cue of cues) {
    const words = renderTranscript(
      { ...transcript, cues: [cue] },
      { format: plainFormat, timestamps: false },
    ).trimEnd();
    if (words === '') continue;
    if (cue.startMs - sinceMs >= paragraphMs) {
      text += `\n[${timestampOf(cue.startMs)}] ${words}`;
      sinceMs = cue.startMs;
    } else text += ` ${words}`;
  }
  return `${text}\n`;
};
