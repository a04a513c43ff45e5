/**
 * The page of `ui://steno/transcript`, which a host of MCP Apps shows beside the result of a tool: lines at their times, and
 * what the call cost. It gets everything from its host by messages, loads nothing, and writes speech as text alone.
 */

import { parseJson } from '../../../../kernel/parse-json.ts';

type Json = Readonly<Record<string, unknown>>;
type Message = Json & {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
};
/** `seconds`: null where the text has no time. */
type Line = { readonly seconds: number | null; readonly text: string };

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const host = window.parent;
const initializeId = 1;
let lastId = initializeId;
let canOpenLinks = false;

// The origin of a host is not known. What is sent holds nothing of a transcript but the address of a video.
const send = (message: Json): void => host.postMessage({ jsonrpc: '2.0', ...message }, '*');

const openLink = (url: string): void => {
  lastId += 1;
  send({ id: lastId, method: 'ui/open-link', params: { url } });
};

const root = document.documentElement;
const { videoLink = '' } = document.body.dataset;
const [heading, list, note, receipt] = ['h1', 'ol', 'p', 'dl'].map((name) => document.querySelector(name)) as [
  HTMLElement,
  HTMLElement,
  HTMLElement,
  HTMLElement,
];

const element = (name: string, ...content: readonly (Node | string)[]): HTMLElement => {
  const made = document.createElement(name);
  made.append(...content);
  return made;
};

/** What opens an address by the host; plain text where the host opens none. */
const linkTo = (url: string, text: string): HTMLElement => {
  if (!canOpenLinks || url === '') return element('span', text);
  const button = element('button', text);
  button.addEventListener('click', () => openLink(url));
  return button;
};

const stampOf = (seconds: number): string => {
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor) as [
    number,
    number,
    number,
  ];
  const pair = (value: number): string => String(value).padStart(2, '0');
  return hours === 0 ? `${minutes}:${pair(rest)}` : `${hours}:${pair(minutes)}:${pair(rest)}`;
};

const secondsOf = (stamp: string): number => stamp.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** The text in pieces, those that are words of the query within `mark`. */
const withMarks = (text: string, query: string): readonly (Node | string)[] => {
  const words = query.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  if (words.length === 0) return [text];
  const pieces = text.split(new RegExp(`(${words.join('|')})`, 'giu'));
  return pieces.map((piece, index) => (index % 2 === 1 ? element('mark', piece) : piece));
};

const shownLine = ({ seconds, text }: Line, videoId: string, query: string): HTMLElement => {
  const words = element('span', ...withMarks(text, query));
  words.dir = 'auto';
  if (seconds === null) return element('li', words);
  const url = videoId === '' ? '' : `${videoLink}${encodeURIComponent(videoId)}&t=${Math.floor(seconds)}`;
  return element('li', linkTo(url, stampOf(seconds)), words);
};

const timedLine = ({ start, text }: Json): Line => ({
  seconds: typeof start === 'number' ? start : null,
  text: textIn(text),
});

const linesIn = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, stamp, words] = /^\[((?:\d+:)?\d+:\d\d)\] (.*)$/.exec(line) ?? [];
      return stamp === undefined ? { seconds: null, text: line } : { seconds: secondsOf(stamp), text: words ?? '' };
    });

type Content = { readonly title: string; readonly isFound: boolean; readonly lines: readonly HTMLElement[] };

const found = ({ results, query, video_id: videoId }: Json): Content => ({
  title: query === undefined ? 'Found videos' : `Found: ${textIn(query)}`,
  isFound: true,
  lines: objectsIn(results).map((one) =>
    typeof one['start'] === 'number'
      ? shownLine(timedLine(one), textIn(videoId), textIn(query))
      : element('li', linkTo(textIn(one['url']), textIn(one['title']))),
  ),
});

const transcriptIn = (body: Json): Content => ({
  title: textIn(body['title']) || textIn(body['video_id']),
  isFound: false,
  lines: objectsIn(body['segments']).map((one) => shownLine(timedLine(one), textIn(body['video_id']), '')),
});

/** Paragraphs with times, whose first line names the video; any other format line by line. */
const textTranscript = (text: string): Content => {
  const [first = ''] = text.split('\n', 1);
  const [, title, videoId] = /^# (.*) \(([\w-]{11})\b[^()]*\)$/.exec(first) ?? [];
  const body = title === undefined ? text : text.slice(first.length);
  return {
    title: title ?? 'Transcript',
    isFound: false,
    lines: linesIn(body).map((line) => shownLine(line, videoId ?? '', '')),
  };
};

const contentOf = (structured: unknown, text: string): Content => {
  const body = isObject(structured) ? structured : parseJson(text);
  if (!isObject(body)) return textTranscript(text);
  return Array.isArray(body['results']) ? found(body) : transcriptIn(body);
};

const receiptLabels: Readonly<Record<string, string>> = {
  credits_charged: 'Credits charged',
  credits_remaining: 'Credits left',
  charge_event: 'Ledger entry',
  request_id: 'Request',
};

const showReceipt = (meta: Json): void => {
  const known = Object.entries(receiptLabels).flatMap(([name, label]) => {
    const value = meta[name];
    return typeof value === 'string' || typeof value === 'number' ? [[label, String(value)] as const] : [];
  });
  receipt.replaceChildren(...known.map(([label, value]) => element('div', element('dt', label), element('dd', value))));
};

const tell = (text: string): void => {
  note.textContent = text;
  note.hidden = text === '';
};

const showResult = ({ content, structuredContent, isError, _meta: meta }: Json): void => {
  const text = objectsIn(content)
    .map((one) => textIn(one['text']))
    .join('\n');
  showReceipt(isObject(meta) ? meta : {});
  if (isError === true) {
    list.replaceChildren();
    tell(text);
    return;
  }
  const { title, isFound, lines } = contentOf(structuredContent, text);
  heading.textContent = title;
  list.classList.toggle('found', isFound);
  list.replaceChildren(...lines);
  tell(lines.length === 0 ? 'Nothing was found.' : '');
};

const applyContext = ({ theme, locale, styles }: Json): void => {
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme;
  if (typeof locale === 'string') root.lang = locale;
  const variables = isObject(styles) ? styles['variables'] : null;
  for (const [name, value] of Object.entries(isObject(variables) ? variables : {})) {
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
  }
};

const begin = ({ hostCapabilities, hostContext }: Json): void => {
  canOpenLinks = isObject(hostCapabilities) && isObject(hostCapabilities['openLinks']);
  applyContext(isObject(hostContext) ? hostContext : {});
  send({ method: 'ui/notifications/initialized', params: {} });
  new ResizeObserver(() => {
    const { width, height } = root.getBoundingClientRect();
    send({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(root);
};

const obey = ({ id, method, params }: Message): void => {
  const given = isObject(params) ? params : {};
  switch (method) {
    case 'ui/notifications/tool-result':
      showResult(given);
      break;
    case 'ui/notifications/tool-cancelled':
      tell('The call was cancelled.');
      break;
    case 'ui/notifications/host-context-changed':
      applyContext(given);
      break;
    case 'ping':
    case 'ui/resource-teardown':
      send({ id, result: {} });
      break;
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  }
};

window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  if (source !== host || !isObject(data)) return;
  const { id, method, result }: Message = data;
  if (method !== undefined) obey(data);
  else if (id === initializeId && isObject(result)) begin(result);
});

send({
  id: initializeId,
  method: 'ui/initialize',
  params: {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'steno-transcript', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  },
});
