import { gzipSync } from 'node:zlib';
import autocannon from 'autocannon';
import { buildAssets } from '#src/edges/http/website/assets.ts';
import type { PageContext } from '#src/edges/http/website/layout.tsx';
import { transcriptPage } from '#src/edges/http/website/transcript/transcript-page.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';
import { generatedLines } from '#test/simulator/generated-videos.ts';
import { openWindow } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { longestVideoId, longVideoId, startBenchServer } from './bench-server.ts';
import { alternately, median, type Row, rounded } from './row.ts';

export const name = 'website';

const page = `/t/${longVideoId}`;
const connections = 8;

/** The page of a transcript of 1,566 lines, charged to a visitor, against the same transcript as JSON under keys. */
export const run = async (options = { seconds: 4, rounds: 3 }): Promise<readonly Row[]> => {
  await using server = await startBenchServer({
    ANONYMOUS_CREDITS_PER_DAY: '1000000',
    ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
    PUBLIC_REQUESTS_PER_MINUTE: '1000000',
  });
  const first = await fetch(server.url + page, { headers: { accept: 'text/html', 'sec-fetch-site': 'none' } });
  const cookie = (first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  const visitor = { cookie, 'sec-fetch-site': 'same-origin' };
  const json = `/v1/transcripts/${longVideoId}?format=json`;
  const pages = (seconds = options.seconds) => load(server.url + page, seconds, [visitor]);
  const answers = async (seconds = options.seconds) => {
    const keys = await server.keys(connections);
    return await load(
      server.url + json,
      seconds,
      keys.map((key) => ({ authorization: `Bearer ${key}` })),
    );
  };
  await pages(2);
  await answers(1);
  const { value, baseline, ratio } = await alternately(options.rounds, pages, answers);
  return [
    {
      case: `page of 1,566 lines against its JSON, ${connections} connections`,
      ...{ value, unit: 'requests/s', baseline, ratio, goal: 0.5, goalKind: 'ratio' },
    },
    ...rendering(),
    ...(await sizes()),
    ...(await paints(server.url)),
  ];
};

/** Successful requests per second; any other response fails the bench. */
const load = async (url: string, duration: number, callers: readonly Record<string, string>[]): Promise<number> => {
  const {
    '2xx': answered,
    non2xx,
    errors,
  } = await autocannon({
    ...{ url, duration, connections },
    requests: callers.map((headers) => ({ method: 'GET', headers })),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} refused, ${errors} failed: ${url}`);
  return answered / duration;
};

/** Processor time of a page whose lines nobody has seen before: later views of them send kept bytes. */
const rendering = (): readonly Row[] => {
  const cues = generatedLines(1_566).map(([startMs, lengthMs, text]) => ({
    ...{ text, startMs, endMs: startMs + lengthMs },
  }));
  const context: PageContext = {
    words: wordsOf('en'),
    assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
    ...{ url: page, publicUrl: 'https://steno.example', user: null },
  };
  const measured = Array.from({ length: 40 }, () => {
    const before = process.cpuUsage();
    transcriptPage(context, {
      transcript: {
        ...{ videoId: longVideoId, title: 'Harbour notes', channel: null, channelId: null },
        ...{ url: 'https://example.com', durationS: 10_800, language: 'en' },
        ...{ requestedLanguage: null, source: 'manual', cues: [...cues] },
      },
      ...{ chosen: {}, available: ['en'], isClean: false, hasTimes: true, isReading: false },
      ...{ headings: null, chapters: null, headingsPrice: 1, creditsCharged: 1, receiptUrl: null },
      quotedSecond: null,
      readAt: '2026-01-01T00:00:00Z',
      paidLanguages: ['en'],
    });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return [
    {
      case: 'first rendering of 1,566 lines, processor time',
      ...{ value: rounded(median(measured)), unit: 'ms', goal: 10, goalKind: 'at most' },
    },
  ];
};

const sizes = async (): Promise<readonly Row[]> => {
  const { script, style, files } = await buildAssets();
  return [
    { what: 'scripts', address: script, goal: 10 },
    { what: 'styles', address: style, goal: 8 },
  ].map(({ what, address, goal }) => ({
    case: `${what} of a page, gzip`,
    value: rounded(gzipSync(files.get(address)?.body ?? '').length / 1000),
    ...{ unit: 'kB', goal, goalKind: 'at most' },
  }));
};

/** Largest Contentful Paint in Chromium, in milliseconds. */
const largestPaint = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`;

const paints = async (url: string): Promise<readonly Row[]> => {
  await using stack = new AsyncDisposableStack();
  const browser = stack.adopt(await startChromium(), (one) => one.close());
  const rows: Row[] = [];
  for (const path of ['/', page, `/t/${longestVideoId}`]) {
    const measured: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await using window = await openWindow(browser, url);
      const session = await window.context.newCDPSession(window.page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await window.page.goto(path);
      measured.push(await window.page.evaluate<number>(largestPaint));
    }
    rows.push({
      case: `largest paint of ${path}, processor four times slower`,
      ...{ value: rounded(median(measured)), unit: 'ms' },
      // Twelve hours are told, not judged.
      ...(path.includes(longestVideoId) ? {} : { goal: 800, goalKind: 'at most' as const }),
    });
  }
  return rows;
};
