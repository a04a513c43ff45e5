import { z } from 'zod';
import type * as contract from '../contract/operations/repurpose.ts';
import { videoLink } from '../extraction/platform-links.ts';
import { writeIn } from './captions-prompt.ts';
import { chaptersOf, namedChapters } from './chapters.ts';
import { chapterLines, longestDescription, longestPost, extract as repurposeExtract } from './extractive/repurpose.ts';
import { groundedText } from './grounded-text.ts';
import type { Implementation } from './implementation.ts';
import { ModelFailure } from './model.ts';
import { plainLine } from './model-text.ts';
import { notesOf, runningText, type Writer } from './summarize.ts';

export const repurpose: Implementation<typeof contract.repurpose> = {
  cacheKeyOf: ({ format, output_lang = null }) => [format, output_lang],
  withModel: async (source, input, asking) => {
    const notes = await notesOf(source, asking);
    return { content: await writers[input.format](source, notes, input, asking) };
  },
  withoutModel: async (source, { format }, extract) => ({
    content: await extract(repurposeExtract, source, { format }),
  }),
};

/** Running text in Markdown. */
const article = (task: string, length: readonly [number, number]): Writer => {
  const whole = `${task} Use nothing but the captions or notes. Write numbers as they stand there. No links, no images.`;
  return runningText('content', whole, length, 3_500);
};

const mostPosts = 20;
const postsSchema = z.object({ posts: z.array(z.string()) });

/** One post a paragraph. A post that is too long, or that says what the captions do not, is left out. */
const thread: Writer = async (source, notes, { output_lang }, asking) => {
  const content = await groundedText(source, { output_lang, words: null }, async (complaint) => {
    const { posts } = await asking.ask({
      name: 'posts',
      task: 'Retell the video as a thread of short posts. Each post has at most 260 characters and one thought; the first makes curious, the last concludes. Use nothing but the captions or notes. No numbering, no hashtags, no links.',
      content: `${notes}\n\nWrite 4 to 12 posts. ${writeIn(output_lang, source.language)}${complaint}`,
      answer: postsSchema,
      maxOutputTokens: 2_500,
    });
    return posts.map(plainLine).join('\n\n');
  });
  const posts = content.split('\n\n').filter((post) => post !== '' && post.length <= longestPost);
  if (posts.length === 0) throw new ModelFailure('invalid_answer', 'no post has a fitting length');
  return posts.slice(0, mostPosts).join('\n\n');
};

const describedSchema = z.object({ intro: z.string(), chapters: namedChapters });

/** Text, then chapters with real times. */
const withChapters =
  (task: string, heading: string | null): Writer =>
  async (source, notes, { output_lang }, asking) => {
    const link = videoLink(source.videoId);
    let named: z.infer<typeof namedChapters> = [];
    const intro = await groundedText(source, { output_lang, words: [1, 250], link }, async (complaint) => {
      const described = await asking.ask({
        name: 'description',
        task: `${task} "chapters": 3 to 12 chapters by subject, each with the number n of its first caption and a title of at most 60 characters. Use nothing but the captions or notes. No links in the text.`,
        content: `${notes}\n\n${writeIn(output_lang, source.language)}${complaint}`,
        answer: describedSchema,
        maxOutputTokens: 2_500,
      });
      named = described.chapters;
      return described.intro;
    });
    const tail = [heading, ...chapterLines(chaptersOf(source, named)), '', link]
      .filter((line) => line !== null)
      .join('\n');
    return `${intro.slice(0, longestDescription - tail.length - 2).trimEnd()}\n\n${tail}`;
  };

const writers: Readonly<Record<contract.RepurposeFormat, Writer>> = {
  blog: article('Write a blog post in Markdown from the video, with a title and headings.', [400, 800]),
  newsletter: article(
    'Write an issue of a newsletter in Markdown about the video: a subject line, what it is about, the main points, a last thought.',
    [200, 400],
  ),
  linkedin: article(
    'Write a post for a professional network about the video, as plain text in short paragraphs.',
    [100, 250],
  ),
  x_thread: thread,
  youtube_description: withChapters(
    'Write the description of the video for its page. "intro": two or three plain paragraphs that say what is in it.',
    null,
  ),
  show_notes: withChapters(
    'Write show notes of the video. "intro": one paragraph and then the main points as a Markdown list.',
    '## Chapters',
  ),
};
