import { z } from 'zod';
import { operation, outputLanguage } from '../operation.ts';

const repurposeFormats = ['blog', 'newsletter', 'linkedin', 'x_thread', 'youtube_description', 'show_notes'] as const;

export type RepurposeFormat = (typeof repurposeFormats)[number];

export const repurpose = operation({
  name: 'repurpose',
  credits: { model: 5, extract: 1 },
  summary: 'Rewrite a video as another kind of text',
  input: {
    format: z.enum(repurposeFormats).default('blog').describe('The form of the text.'),
    output_lang: outputLanguage,
  },
  result: z.object({ content: z.string().describe('The text in the requested format.') }),
  echoes: ['format'],
  answer: { schema: 'Repurposed', description: 'The text, in Markdown.' },
  tool: {
    title: 'Write from a video',
    description:
      'Writes a text of another kind from a video: a blog post, newsletter, post, thread, video description or show notes, in Markdown. Use summarize when only the content matters.',
  },
  shown: ({ content }) => ({ text: content, isDocument: true }),
});
