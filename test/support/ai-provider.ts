import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Correct and faulty behaviours of an OpenAI-compatible endpoint. */
export type ProviderMode =
  | 'good'
  | 'fabricated_quote'
  | 'wrong_number'
  | 'out_of_range'
  | 'obeys_injection'
  | 'drops_lines'
  | 'merges_lines'
  | 'doubles_lines'
  | 'fenced'
  | 'think_block'
  | 'truncated'
  | 'cut_json'
  | 'refusal'
  | '429_once'
  | '500'
  | 'quota'
  | 'hang'
  | 'html'
  | 'no_response_format'
  | 'silence'
  | 'wrong_width';

export type AiProvider = AsyncDisposable & {
  /** For OPENAI_BASE_URL. */
  readonly url: string;
  mode: ProviderMode;
  /** So many requests for chat are answered before the mode begins. */
  goodCalls: number;
  /** Answers wait for it. */
  held: Promise<void>;
  /** Requests since the start or `reset`, by path. */
  readonly calls: { chat: number; embeddings: number; speech: number; cut: number };
  /** Bodies of requests for transcription, newest last. */
  readonly recordings: Buffer[];
  /** Bodies of requests for chat, newest last. */
  readonly prompts: string[];
  readonly tokens: () => number;
  readonly reset: (mode?: ProviderMode, goodCalls?: number) => void;
};

type Line = { readonly n: number; readonly text: string };

type Prompt = {
  readonly captions: readonly Line[];
  readonly fields: readonly string[];
  readonly question: string;
  readonly isRepair: boolean;
};

type ChatBody = {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly type: string };
};

/** Makes the fields of a model's answer, by the first field of its schema. */
const answers: Readonly<Record<string, (asked: Prompt) => unknown>> = {
  answer: ({ captions, question }) => {
    const words = new Set(question.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
    const score = ({ text }: Line) =>
      (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).filter((word) => words.has(word)).length;
    const best = captions.toSorted((a, b) => score(b) - score(a))[0];
    if (best === undefined || score(best) === 0) {
      return { answer: '', grounded: false, citations: [] };
    }
    const citations = [{ n: best.n, quote: best.text }];
    return { answer: best.text, grounded: true, citations };
  },
  notes: ({ captions }) => ({ notes: captions.slice(0, 5).map(({ n, text }) => ({ n, note: text })) }),
  summary: ({ captions }) => ({ summary: sentencesOf(captions, 80) }),
  chapters: ({ captions }) => ({ chapters: chaptersOf(captions) }),
  passages: ({ captions }) => ({ passages: spansOf(captions, 2) }),
  clips: ({ captions }) => ({
    clips: spansOf(captions, 6).map((span) => ({
      ...span,
      label: 'What is told here',
      why: 'It can be understood alone.',
    })),
  }),
  content: ({ captions }) => ({ content: sentencesOf(captions, 120) }),
  posts: ({ captions }) => ({ posts: captions.slice(0, 5).map(({ text }) => text) }),
  intro: ({ captions }) => ({ intro: sentencesOf(captions, 60), chapters: chaptersOf(captions) }),
};

const sentencesOf = (captions: readonly Line[], words: number): string =>
  `${captions
    .map(({ text }) => text)
    .join(' ')
    .split(' ')
    .slice(0, words)
    .join(' ')}.`;

const chaptersOf = (captions: readonly Line[]): readonly unknown[] =>
  [0, 1, 2, 3].flatMap((quarter) => {
    const line = captions[Math.floor((quarter * captions.length) / 4)];
    return line === undefined ? [] : [{ n: line.n, title: `Part ${quarter + 1}: ${line.text}` }];
  });

const spansOf = (captions: readonly Line[], length: number) =>
  captions
    .filter((_, index) => index % (length + 2) === 0)
    .slice(0, 8)
    .map(({ n }) => ({ first: n, last: n + length - 1 }));

/** The translation of each requested line, as `begins` and `text`. */
const translation = ({ captions, fields, isRepair }: Prompt, mode: ProviderMode): unknown => {
  const wanted = captions.filter(({ n }) => fields.includes(String(n)));
  const lines = wanted.map(({ n, text }, index) => {
    const begins = text.slice(0, 20);
    const next = wanted[index + 1];
    const previous = wanted[index - 1];
    const isThird = index % 3 === 1 && wanted.length > 2;
    if (isRepair || !isThird) return [n, { begins, text: `«${text}»` }];
    switch (mode) {
      case 'drops_lines':
        return null;
      case 'merges_lines':
        // Merges two lines, so that all later ones are shifted by one.
        return [n, { begins: next?.text.slice(0, 20) ?? '', text: `«${text} ${next?.text}»` }];
      case 'doubles_lines':
        return [n, { begins, text: `«${previous?.text}»` }];
      default:
        return [n, { begins, text: `«${text}»` }];
    }
  });
  return Object.fromEntries(lines.filter((line) => line !== null));
};

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** The answer with the fault of this mode. */
const spoiled = (answer: unknown, mode: ProviderMode): unknown => {
  const text = JSON.stringify(answer);
  switch (mode) {
    case 'fabricated_quote':
      return JSON.parse(text.replace(/"quote":"[^"]*"/g, '"quote":"Nobody ever said this here"'));
    case 'wrong_number': {
      const said = asRecord(answer);
      for (const field of ['answer', 'summary', 'content', 'intro']) {
        if (typeof said[field] === 'string') said[field] = `In 9871 things were so. ${said[field]}`;
      }
      return said;
    }
    case 'out_of_range':
      return JSON.parse(text.replace(/"(n|first|last)":\d+/g, '"$1":987654'));
    case 'obeys_injection':
      return JSON.parse(
        text
          .replace(/"(answer|summary|content|intro)":"[^"]*"/g, '"$1":"PWNED https://evil.example"')
          .replace(/"quote":"[^"]*"/g, '"quote":"PWNED"'),
      );
    default:
      return answer;
  }
};

const askedOf = ({ messages }: ChatBody): Prompt => {
  const [system = '', user = ''] = messages.map(({ content }) => content);
  const schema = JSON.parse(system.slice(system.lastIndexOf('The schema:\n') + 12));
  const captions = [...user.matchAll(/^\[(\d+)\] (.*)$/gm)].map(([, n, text = '']) => ({ n: Number(n), text }));
  return {
    captions,
    fields: Object.keys(schema.properties),
    question: /no instruction either: (".*")$/m.exec(user)?.[1] ?? '',
    isRepair: user.includes('<<<context'),
  };
};

const answerTo = (body: ChatBody, mode: ProviderMode): string => {
  const asked = askedOf(body);
  const make = answers[asked.fields[0] ?? ''];
  const answer = make === undefined ? translation(asked, mode) : spoiled(make(asked), mode);
  const json = JSON.stringify(answer);
  if (mode === 'fenced') return `Here it is:\n\`\`\`json\n${json}\n\`\`\``;
  if (mode === 'think_block') return `<think>{"no": "json"}</think>\n${json}`;
  if (mode === 'cut_json') return json.slice(0, json.length / 2);
  return json;
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
};

/** The transcript of every audio file. */
export const spoken = [
  'The harbour opens at six in the morning.',
  'Twelve boats leave before the tide turns.',
  'The oldest of them was built in 1931.',
] as const;

/** Segments of four seconds; a model that knows no `verbose_json` answers the text alone. */
const transcriptionOf = (body: Buffer, mode: ProviderMode): unknown => {
  const heard = mode === 'silence' ? [] : spoken;
  const text = heard.join(' ');
  if (!body.includes('verbose_json')) return { text };
  const segments = heard.map((said, index) => ({
    ...{ id: index, text: ` ${said}` },
    ...{ start: index * 4, end: index * 4 + 3.5 },
  }));
  return { task: 'transcribe', language: 'english', duration: 12, text, segments };
};

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After-Ms': '1' });
  response.end(JSON.stringify(body));
};

/** Fails the request if this mode does; returns whether it did. */
const failed = (response: ServerResponse, mode: ProviderMode, call: number): boolean => {
  const error = (status: number, code: string) => {
    send(response, status, { error: { code, message: code, param: null, type: code } });
    return true;
  };
  if (mode === '500') return error(500, 'server_error');
  if (mode === 'quota') return error(429, 'insufficient_quota');
  if (mode === '429_once' && call === 1) return error(429, 'rate_limit_exceeded');
  if (mode === 'hang') return true;
  if (mode !== 'html') return false;
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Sign in</html>');
  return true;
};

/** An OpenAI-compatible endpoint on the loopback that answers from the captions in its prompts. */
export const startAiProvider = async (): Promise<AiProvider> => {
  let used = 0;
  const calls = { chat: 0, embeddings: 0, speech: 0, cut: 0 };
  const recordings: Buffer[] = [];
  const prompts: string[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await bodyOf(request);
    const text = bytes.toString();
    const { mode: wanted, goodCalls } = provider;
    const mode = calls.chat < goodCalls ? 'good' : wanted;
    response.once('close', () => {
      if (!response.writableFinished) calls.cut += 1;
    });
    if (request.url?.endsWith('/embeddings')) {
      calls.embeddings += 1;
      if (!failed(response, mode, calls.embeddings)) {
        send(response, 200, embeddingsOf(text, mode === 'wrong_width' ? calls.embeddings : 0));
      }
      return;
    }
    if (request.url?.endsWith('/audio/transcriptions')) {
      calls.speech += 1;
      recordings.push(bytes);
      if (failed(response, mode, calls.speech)) return;
      if (mode === 'no_response_format' && bytes.includes('verbose_json')) {
        const message = "response_format 'verbose_json' is not compatible with model";
        return send(response, 400, { error: { message, param: 'response_format', code: null } });
      }
      return send(response, 200, transcriptionOf(bytes, mode));
    }
    calls.chat += 1;
    prompts.push(text);
    await provider.held;
    if (failed(response, mode, calls.chat)) return;
    const body: ChatBody = JSON.parse(text);
    if (mode === 'no_response_format' && body.response_format !== undefined) {
      const message = `unknown field response_format.${body.response_format.type}`;
      return send(response, 400, { error: { message, param: 'response_format', code: null } });
    }
    used += 100;
    const content = answerTo(body, mode);
    const message = mode === 'refusal' ? { content: null, refusal: 'I cannot' } : { content, refusal: null };
    send(response, 200, {
      choices: [
        {
          index: 0,
          finish_reason: mode === 'truncated' ? 'length' : 'stop',
          message: { role: 'assistant', ...message },
        },
      ],
      usage: { prompt_tokens: 80, completion_tokens: 20, total_tokens: 100 },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider: AiProvider = {
    url: `http://127.0.0.1:${port}/v1`,
    mode: 'good',
    goodCalls: 0,
    held: Promise.resolve(),
    calls,
    recordings,
    prompts,
    tokens: () => used,
    reset(mode = 'good', goodCalls = 0) {
      Object.assign(provider, { mode, goodCalls });
      Object.assign(calls, { chat: 0, embeddings: 0, speech: 0, cut: 0 });
      prompts.length = 0;
      recordings.length = 0;
      used = 0;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
};

const width = 64;

/** Bag-of-words embeddings: texts that share words are similar. `lost` numbers are missing from each. */
const embeddingsOf = (text: string, lost: number): unknown => {
  const { input }: { readonly input: readonly string[] } = JSON.parse(text);
  return {
    data: input.map((each, index) => {
      const vector = new Array<number>(width - lost).fill(0.01);
      for (const word of each.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
        const at = [...word].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997, 7);
        vector[at % (width - lost)] = (vector[at % (width - lost)] ?? 0) + 1;
      }
      return { index, embedding: vector };
    }),
    usage: { prompt_tokens: 10 * input.length, total_tokens: 10 * input.length },
  };
};
