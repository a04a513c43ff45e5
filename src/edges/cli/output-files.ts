import { statSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Transcript } from '../../commands.ts';
import { formatNamed, type TranscriptFormat } from '../../contract/formats.ts';
import { newUuid } from '../../kernel/ids.ts';
import { makeFolder } from '../../kernel/make-folder.ts';
import { ownValue } from '../../kernel/own-value.ts';
import { invalidValue } from './option-parsers.ts';
import { FileError, writeWhole, writing } from './write-file.ts';

/** The format by the extension of a file or template, in any case; null if it names none. */
export const formatOf = (output: string): TranscriptFormat | null =>
  formatNamed(extname(output).slice(1).toLowerCase());

/** What fills each placeholder of a template. */
const fillers: Readonly<Record<string, (transcript: Transcript, extension: string) => string>> = {
  title: ({ title }) => safeName(title ?? '', 120),
  channel: ({ channel }) => safeName(channel ?? '', 80),
  channel_id: ({ channelId }) => safeName(channelId ?? '', 80),
  id: ({ videoId }) => safeName(videoId, 80),
  language: ({ language }) => safeName(language ?? '', 40),
  ext: (_, extension) => extension,
};

const names = Object.keys(fillers);

/** `-o`: a template such as `{channel}/{title} [{id}].{ext}`, a file with the ending of a format, or a folder. */
export const outputFiles = (wanted: string) => {
  const isTemplate = wanted.includes('{');
  const isOneFile = !isTemplate && formatOf(wanted) !== null;
  const template = isTemplate || isOneFile ? wanted : join(wanted, '{title} [{id}].{ext}');
  for (const [, name = ''] of template.matchAll(/\{([^}]*)\}?/g)) {
    if (names.includes(name)) continue;
    throw invalidValue('output', `-o does not support {${name}}; use ${names.map((one) => `{${one}}`).join(', ')}`);
  }
  const written = new Map<string, string>();
  return {
    /** Whether it is one file, for one transcript. */
    isOneFile,
    /** Makes the folder. Throws where nothing can be written to it, so that nothing is read and charged in vain. */
    prepare: (): Promise<void> =>
      writing(wanted, async () => {
        // The folder above what the template fills in.
        const folder = dirname(`${template.split('{')[0]}_`);
        makeFolder(folder, 0o777);
        // The permissions alone do not tell: a file system may be read-only or take no files.
        const probe = join(folder, `${newUuid()}.part`);
        await writeFile(probe, '');
        await rm(probe);
        const isFolder = isOneFile && statSync(template, { throwIfNoEntry: false })?.isDirectory();
        if (isFolder === true) throw new FileError(`${wanted} is a folder`);
      }),
    /** Writes a file, with its folders; answers its path. Throws where another transcript of this command went there. */
    async write(transcript: Transcript, extension: string, text: string): Promise<string> {
      const path = pathOf(template, (name) => ownValue(fillers, name)?.(transcript, extension) ?? '');
      const other = written.get(path);
      if (other !== undefined && other !== transcript.videoId) {
        throw invalidValue('output', `${path} already holds the transcript of ${other}: add {id} to -o`);
      }
      written.set(path, transcript.videoId);
      await writeWhole(path, text, { file: 0o666, folder: 0o777 });
      return path;
    },
  };
};

/** Only the template creates folders: values contain no separators. */
const pathOf = (template: string, fill: (name: string) => string): string =>
  template
    .split('/')
    .map((part) => {
      const filled = part.replace(/\{([^}]*)\}/g, (_, name: string) => fill(name));
      return filled === part ? part : reserved.test(filled) ? `_${filled}` : filled;
    })
    .join('/');

/** Reserved device names of Windows, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Separators, characters that Windows forbids, control characters and bidirectional marks. */
const unsafe = /[<>:"/\\|?*\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Makes text valid as a file name on any system, with a maximum of bytes; `_` if nothing is left. */
export const safeName = (text: string, maxBytes: number): string => {
  const plain = text.normalize('NFC').toWellFormed().replace(unsafe, '_').replace(/\s+/g, ' ');
  let cut = '';
  for (const { segment } of graphemes.segment(plain.replace(/^[. ]+/, ''))) {
    if (Buffer.byteLength(cut + segment) > maxBytes) break;
    cut += segment;
  }
  const name = cut.replace(/[. ]+$/, '');
  return name === '' ? '_' : name;
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The finished videos, one id per line, so that the same command resumes where it stopped. Reads the file, if it is there. A
 * line may begin with the name of the platform (`youtube ID`), as other tools write it.
 */
export const openArchive = async (path: string) => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const ids = new Set(text.split('\n').map((line) => line.trim().split(/\s+/).at(-1) ?? ''));
  // An interrupted write leaves an incomplete last line.
  let isWhole = text === '' || text.endsWith('\n');
  return {
    has: (videoId: string): boolean => ids.has(videoId),
    async add(videoId: string): Promise<void> {
      if (ids.has(videoId)) return;
      ids.add(videoId);
      await writing(path, async () => {
        makeFolder(dirname(path), 0o777);
        await appendFile(path, `${isWhole ? '' : '\n'}${videoId}\n`);
      });
      isWhole = true;
    },
  };
};
