import { gzipSync } from 'node:zlib';
import autocannon from 'autocannon';
import { buildAssets } from '#src/edges/http/website/assets.ts';
import { openWindow } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { inTurns, median, type Row, rounded } from './row.ts';
import { longVideoId, serving } from './serving.ts';

export const name = 'website';

const page = `/t/${longVideoId}`;
const connections = 8;

/** The page of a transcript of 1,566 lines, charged to a visitor, against the same transcript as JSON under keys. */
export const run = async (options = { seconds: 4, rounds: 3 }): Promise<readonly Row[]> => {
  await using server = await serving({
    ANONYMOUS_CREDITS_PER_DAY: '1000000',
    ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
    PUBLIC_REQUESTS_PER_MINUTE: '1000000',
  });
  const first = await fetch(server.url + page, { headers: { accept: 'text/html' } });
  const visitor = { cookie: (first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
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
  const { value, baseline, ratio } = await inTurns(options.rounds, pages, answers);
  return [
    {
      case: `page of 1,566 lines against its JSON, ${connections} connections`,
      ...{ value, unit: 'requests/s', baseline, ratio, goal: 0.5, goalKind: 'ratio' },
    },
    ...(await sizes()),
    ...(await paints(server.url)),
  ];
};

/** Successful requests a second; an answer that is none fails the bench. */
const load = async (
  url: string,
  duration: number,
  callers: readonly Record<string, string>[],
): Promise<number> => {
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

/** Milliseconds until the largest part is painted, as Chromium tells it. */
const largestPaint = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`;

const paints = async (url: string): Promise<readonly Row[]> => {
  await using stack = new AsyncDisposableStack();
  const browser = stack.adopt(await startChromium(), (one) => one.close());
  const rows: Row[] = [];
  for (const path of ['/', page]) {
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
      ...{ value: rounded(median(measured)), unit: 'ms', goal: 800, goalKind: 'at most' },
    });
  }
  return rows;
};
