import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { maxItemsPerJob, maxReferences } from '#src/contract/jobs.ts';
import { countLinks } from '#src/edges/http/website/browser/count-links.ts';
import { channels, lists } from '#test/simulator/collections.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';

let app: TestApp;
/** The session of an account with the credits of a plan. */
let session: string;

before(async () => {
  app = await startTestApp({
    environment: { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000', LISTINGS_PER_MINUTE: '1000' },
  });
  const user = { email: 'many@example.org', password: plantedPassword('many') };
  await app.core.commands.createAccount({ ...user, name: null, plan: 'starter' });
  const signedIn = await send('/login', user);
  session = (signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  planted(session.split('=')[1] ?? '');
});
after(() => app[Symbol.asyncDispose]());

const send = (path: string, fields: Record<string, string> | URLSearchParams, cookie = '') =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { Accept: 'text/html', Origin: app.url, Cookie: cookie },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

const plain = (text: string): string =>
  text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .trim();

/** What an answer of the page says, and its form as a browser would send it again. */
const shown = async (answer: Response) => {
  const page = await answer.text();
  const form = new URLSearchParams();
  for (const [input] of page.matchAll(/<input type="hidden"[^>]*>/g)) {
    const [, name = ''] = /name="([^"]*)"/.exec(input) ?? [];
    const [, value = ''] = /value="([^"]*)"/.exec(input) ?? [];
    form.append(name, plain(value));
  }
  const links = plain(/<textarea[^>]*>([^<]*)</.exec(page)?.[1] ?? '');
  form.set('links', links);
  const [, note = ''] = /<div class="note[^>]*>(.*?)<\/div>/s.exec(page) ?? [];
  return {
    status: answer.status,
    links,
    form,
    page,
    paragraphs: [...note.matchAll(/<p>(.*?)<\/p>/gs)].map(([, text = '']) => plain(text)),
    leftOut: [...note.matchAll(/<li>(.*?)<\/li>/gs)].map(([, text = '']) => plain(text)),
    price: plain(/value="start"[^>]*>(.*?)<\/button>/s.exec(page)?.[1] ?? ''),
  };
};

const count = async (links: string) => shown(await send('/many', { links, do: 'count' }, session));

const start = (form: URLSearchParams, cookie = session) => {
  form.set('do', 'start');
  return send('/many', form, cookie);
};

const jobAt = async (answer: Response) => {
  const location = answer.headers.get('Location') ?? '';
  assert.match(location, /^\/jobs\/job_/);
  return await (await fetch(app.url + location, { headers: { Cookie: session } })).text();
};

const missing = 'PLnowhere0000000000000000000000000';

const mixed = [
  samples.prose,
  `https://www.youtube.com/playlist?list=${missing}`,
  '',
  `https://youtu.be/${samples.prose}`,
  lists.small,
  'no link <b>',
  '@nobody.is.called.so',
  channels.market,
].join('\n');

describe('a list of links', () => {
  it('names each line that is refused, keeps the list, and starts with the others', async () => {
    const counted = await count(mixed);
    assert.equal(counted.status, 200);
    assert.equal(counted.links, mixed);
    assert.deepEqual(counted.leftOut, [
      `Line 2: https://www.youtube.com/playlist?list=${missing} This playlist does not exist, or cannot be viewed.`,
      'Line 7: @nobody.is.called.so This channel does not exist.',
      'Line 6: no link <b>',
    ]);
    assert.deepEqual(counted.paragraphs, [
      '7 videos. 1 duplicate line.',
      '2 lines were refused:',
      '1 line was not recognized:',
      'Correct them and count again, or start without them.',
    ]);
    assert.match(counted.price, /7 credits/);
    const job = await jobAt(await start(counted.form));
    assert.match(job, /of 7 done/);
  });

  it('is counted while it is typed as it is counted when it is sent', async () => {
    const known = [
      samples.prose,
      `https://youtu.be/${samples.prose}?t=9`,
      lists.small,
      'RDdQw4w9WgXcQ',
      '@harbournotes',
    ];
    const list = [...known, 'https://example.com/hello-world', 'constructor', 'no link', ''].join('\n');
    assert.deepEqual(countLinks(list), { valid: 4, duplicate: 1, invalid: 3 });
    const { paragraphs, leftOut } = await count(list);
    assert.match(paragraphs[0] ?? '', /1 duplicate line\.$/);
    assert.deepEqual(leftOut.slice(-3), [
      'Line 6: https://example.com/hello-world',
      'Line 7: constructor',
      'Line 8: no link',
    ]);
    for (const line of leftOut.slice(0, -3)) assert.match(line, /^Line [1-5]: .* (?:does not exist|cannot be viewed)/);
  });

  it('says how many videos and lines it takes, as the language of the page writes numbers', async () => {
    const page = await (await fetch(`${app.url}/many?ui=de`, { headers: { Accept: 'text/html' } })).text();
    assert.ok(page.includes(`<output>Bis zu ${maxItemsPerJob.toLocaleString('de')} Videos in einem Auftrag.`));
    const tooLong = await send('/many?ui=fr', { links: `${samples.prose}\n`.repeat(maxReferences + 1), do: 'count' });
    assert.match(await tooLong.text(), /jusqu’à 5\u202f000 lignes/);
  });

  it('keeps an empty first line, so that the numbers of lines stay those of the field', async () => {
    const { page, leftOut } = await count('\nno link');
    assert.deepEqual(leftOut, ['Line 2: no link']);
    // A browser drops the first line end of the field.
    assert.match(page, />\n\nno link<\/textarea>/);
  });

  it('is counted again before it starts, where a line that was refused is corrected', async () => {
    const { form } = await count(`${samples.prose}\n${missing}`);
    form.set('links', `${samples.prose}\n${lists.small}`);
    const again = await shown(await start(form));
    assert.deepEqual(again.leftOut, []);
    assert.match(again.price, /5 credits/);
    assert.match(await jobAt(await start(again.form)), /of 5 done/);
  });

  it('with only refused lines has no job to start', async () => {
    const counted = await count(`${missing}\nno link`);
    assert.equal(counted.price, '');
    assert.equal(counted.leftOut.length, 2);
    assert.equal((await shown(await start(counted.form))).price, '');
  });

  it('of 5,000 lines is counted up to the size of a job; the lines beyond it are named', async () => {
    const watch = 'https://www.youtube.com/watch?v=';
    const rest = `&list=${lists.huge}&index=1&pp=iAQB&t=10s`;
    const ids = Array.from({ length: 4_999 }, (_, n) => generatedId('vid', n + 1));
    const links = [...ids.map((id) => watch + id + rest), lists.small].join('\n');
    const counted = await count(links);
    assert.equal(counted.status, 200);
    assert.equal(counted.links, links);
    assert.equal(counted.paragraphs[0], '1,000 videos.');
    assert.equal(counted.paragraphs[1], '4,000 lines exceed the size of a job:');
    assert.equal(counted.leftOut[0], `Line 1,001: ${watch}${ids[1_000]}${rest}`);
    assert.match(counted.price, /1,000 credits/);
    const playlists = Array.from({ length: 21 }, (_, n) => `PLnowhere${n + 1_000}`);
    const listings = await count([...playlists, samples.prose].join('\n'));
    assert.deepEqual(listings.paragraphs.slice(0, 3), [
      '1 video.',
      '20 lines were refused:',
      '1 line exceeds the size of a job:',
    ]);
    assert.equal(listings.leftOut.at(-1), 'Line 21: PLnowhere1020');
  });

  it('is refused with its text beyond the remaining credits, with a wrong language, or if it is too long', async () => {
    const { form } = await count(lists.thousand);
    const poor = await shown(await start(form));
    assert.equal(poor.status, 402);
    assert.equal(poor.links, lists.thousand);
    assert.match(poor.page, /Credits needed: 1,000\. .+href="\/account\/plans"/);
    const odd = await shown(await send('/many', { links: mixed, lang: 'eng lish', do: 'count' }));
    assert.deepEqual([odd.status, odd.links], [400, mixed]);
    assert.match(odd.page, /role="alert">.*This is not a language code\./);
    const long = Array.from({ length: 5_001 }, () => samples.prose).join('\n');
    const refused = await count(long);
    assert.deepEqual([refused.status, refused.links], [400, long]);
    assert.match(refused.page, /role="alert">A list can have up to 5,000 lines\./);
  });
});
