import { generatedLines } from './generated-videos.ts';
import type { SampleLine, SampleTrack } from './samples.ts';

type Word = { readonly text: string; readonly offsetMs: number };

/** One line of a document; automatic captions have words with times. */
type CaptionLine = {
  readonly startMs: number;
  readonly durationMs: number;
  readonly text: string;
  readonly words: readonly Word[];
};

const wordsOf = (text: string): string[] => text.match(/\s*\S+/g) ?? [];

/** Longer words take longer; translations are spread evenly, because their times are not real. */
const timedWords = (text: string, spokenMs: number, isEven: boolean): Word[] => {
  const words = wordsOf(text);
  const weights = words.map((word) => (isEven ? 1 : word.trim().length + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  return words.map((word, index) => {
    const offsetMs = Math.floor((before / total) * spokenMs);
    before += weights[index] ?? 0;
    return { text: word, offsetMs };
  });
};

const translated = (text: string, from: string, to: string): string => {
  if (/^\[.*\]$/.test(text)) return text;
  if (from === to) return wordsOf(text).slice(0, 2).join('').trim();
  return `(${to}) ${text}`;
};

/** The lines of a track; automatic ones stay visible until the line after the next begins. */
const captionLines = (track: SampleTrack, translateTo: string | null): CaptionLine[] => {
  const lines: readonly SampleLine[] = track.generatedLines ? generatedLines(track.generatedLines) : track.lines;
  return lines.map(([startMs, durationMs, original], index) => {
    const text = translateTo ? translated(original, track.language, translateTo) : original;
    if (track.kind === 'manual') return { startMs, durationMs, text, words: [] };
    const shownUntilMs = lines[index + 2]?.[0] ?? startMs + durationMs;
    return {
      startMs,
      durationMs: Math.max(durationMs, shownUntilMs - startMs),
      text,
      words: timedWords(text, durationMs, translateTo !== null),
    };
  });
};

const escapeOnce = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

const seconds = (ms: number): string => String(ms / 1000);

const srv1 = (lines: readonly CaptionLine[]): string =>
  `<?xml version="1.0" encoding="utf-8" ?><transcript>${lines
    .map(
      (line) =>
        `<text start="${seconds(line.startMs)}" dur="${seconds(line.durationMs)}">${escapeOnce(escapeOnce(line.text))}</text>`,
    )
    .join('')}</transcript>`;

const srv3Words = (line: CaptionLine): string =>
  line.words
    .map((word, index) =>
      index === 0
        ? `<s ac="0">${escapeOnce(word.text)}</s>`
        : `<s t="${word.offsetMs}" ac="0">${escapeOnce(word.text)}</s>`,
    )
    .join('');

const srv3 = (lines: readonly CaptionLine[], isAutomatic: boolean): string => {
  const rows = lines.flatMap((line, index) => {
    if (!isAutomatic) return [`<p t="${line.startMs}" d="${line.durationMs}">${escapeOnce(line.text)}</p>`];
    const row = `<p t="${line.startMs}" d="${line.durationMs}" w="1">${srv3Words(line)}</p>`;
    const feed = `<p t="${line.startMs - 10}" d="${line.durationMs + 10}" w="1" a="1">\n</p>`;
    return index === 0 ? [row] : [feed, row];
  });
  const head = isAutomatic
    ? '<head>\n<ws id="0"/>\n<ws id="1" mh="2" ju="0" sd="3"/>\n<wp id="0"/>\n<wp id="1" ap="6" ah="20" av="100" rc="2" cc="40"/>\n</head>\n'
    : '';
  const window = isAutomatic ? '<w t="0" id="1" wp="1" ws="1"/>\n' : '';
  return `<?xml version="1.0" encoding="utf-8" ?><timedtext format="3">\n${head}<body>\n${window}${rows.join('\n')}\n</body>\n</timedtext>\n`;
};

const json3 = (lines: readonly CaptionLine[], isAutomatic: boolean): string => {
  if (lines.length === 0) return JSON.stringify({ wireMagic: 'pb3' });
  const events: object[] = [];
  if (isAutomatic) {
    const last = lines[lines.length - 1];
    const endMs = last ? last.startMs + last.durationMs : 0;
    events.push({ tStartMs: 0, dDurationMs: endMs, id: 1, wpWinPosId: 1, wsWinStyleId: 1 });
  }
  for (const [index, line] of lines.entries()) {
    const time = { tStartMs: line.startMs, dDurationMs: line.durationMs };
    if (!isAutomatic) {
      events.push({ ...time, segs: [{ utf8: line.text }] });
      continue;
    }
    if (index > 0) {
      const feed = { tStartMs: line.startMs - 10, wWinId: 1, aAppend: 1, segs: [{ utf8: '\n' }] };
      events.push(index % 4 === 0 ? feed : { ...feed, dDurationMs: line.durationMs + 10 });
    }
    const segs = line.words.map((word, place) =>
      place === 0 ? { utf8: word.text, acAsrConf: 0 } : { utf8: word.text, tOffsetMs: word.offsetMs, acAsrConf: 0 },
    );
    events.push({ ...time, wWinId: 1, segs });
  }
  const styles = isAutomatic
    ? {
        wsWinStyles: [{}, { mhModeHint: 2, juJustifCode: 0, sdScrollDir: 3 }],
        wpWinPositions: [{}, { apPoint: 6, ahHorPos: 20, avVerPos: 100, rcRows: 2, ccCols: 40 }],
      }
    : { wsWinStyles: [{}], wpWinPositions: [{}] };
  return JSON.stringify({ wireMagic: 'pb3', pens: [{}], ...styles, events });
};

const clock = (ms: number, fraction = '.'): string => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const whole = Math.floor(ms / 1000);
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}${fraction}${rest}`;
};

const vttEscape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Roll-up captions in two rows: each line appears word by word, stands for 10 ms, then moves up. */
const rollingVtt = (lines: readonly CaptionLine[]): string[] =>
  lines.flatMap((line, index) => {
    const above = lines[index - 1]?.text ?? ' ';
    const next = lines[index + 1]?.startMs ?? line.startMs + line.durationMs;
    const middle = Math.max(line.startMs, next - 10);
    const [first, ...rest] = line.words;
    const spoken = rest.map((w) => `<${clock(line.startMs + w.offsetMs)}><c>${vttEscape(w.text)}</c>`).join('');
    const place = ' align:start position:0%';
    return [
      `${clock(line.startMs)} --> ${clock(middle)}${place}\n${vttEscape(above)}\n${vttEscape(first?.text ?? '')}${spoken}`,
      `${clock(middle)} --> ${clock(next)}${place}\n${vttEscape(line.text)}\n `,
    ];
  });

const vtt = (lines: readonly CaptionLine[], track: SampleTrack): string => {
  const cues =
    track.kind === 'asr'
      ? rollingVtt(lines)
      : lines.map(
          (line) => `${clock(line.startMs)} --> ${clock(line.startMs + line.durationMs)}\n${vttEscape(line.text)}`,
        );
  return `WEBVTT\nKind: captions\nLanguage: ${track.language}\n\n${cues.join('\n\n')}\n`;
};

/** A caption document in the platform's format; unknown formats fall back to srv1, as on the platform. */
export const captionDocument = (
  track: SampleTrack,
  format: string | null,
  translateTo: string | null,
): { readonly contentType: string; readonly body: string } => {
  const lines = captionLines(track, translateTo);
  const isAutomatic = track.kind === 'asr';
  switch (format) {
    case 'json3':
      return { contentType: 'application/json; charset=UTF-8', body: json3(lines, isAutomatic) };
    case 'srv3':
    case '3':
      return { contentType: 'text/xml; charset=UTF-8', body: srv3(lines, isAutomatic) };
    case 'vtt':
      return { contentType: 'text/vtt; charset=UTF-8', body: vtt(lines, track) };
    default:
      return { contentType: 'text/xml; charset=UTF-8', body: srv1(lines) };
  }
};
