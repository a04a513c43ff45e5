// Receives webhooks on this machine and verifies each. It registers itself, and deregisters when it exits.
//
//     KEY=… node docs/webhook-receiver.mjs [http://127.0.0.1:3000]
//
// The service must be allowed to reach this machine (OUTBOUND_ALLOW), as the demo is. PORT is 8088 by default.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const service = process.argv[2] ?? 'http://127.0.0.1:3000';
const { KEY = '', PORT = '8088' } = process.env;

/** As docs/webhook-verification.md has it. */
function verify({ secret, body, signature, now = Date.now() / 1000 }) {
  const parts = (signature ?? '').split(',').map((part) => part.split('='));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d+$/.test(t) || Math.abs(now - Number(t)) > 300) return false;
  const wanted = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  return parts.some(([name, hex]) => {
    const given = Buffer.from(name === 'v1' ? (hex ?? '') : '', 'hex');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/** Says in one line what is wrong, and ends. */
const fail = (message) => {
  console.error(`webhook-receiver: ${message}`);
  process.exit(1);
};

if (!URL.canParse(service)) fail(`${service} is not an address; it looks like http://127.0.0.1:3000`);
if (KEY === '') fail('no API key: set KEY, as in KEY=stn_live_… node docs/webhook-receiver.mjs');
if (!/^[\x21-\x7e]+$/.test(KEY)) fail('KEY is not an API key: it has spaces or characters beyond ASCII');
if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) fail(`PORT is not a port: ${PORT}`);

const ask = async (method, path, body) => {
  const answer = await fetch(`${service.replace(/\/+$/, '')}${path}`, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(({ message, cause }) => fail(`${service} cannot be reached: ${cause?.message || cause?.code || message}`));
  const text = await answer.text();
  const parsed = /^application\/json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : null;
  if (answer.status === 401) fail(`${service} does not accept the API key in KEY`);
  if (!answer.ok) fail(`${method} ${path}: ${answer.status} ${parsed?.error?.message ?? 'no answer of Steno'}`);
  if (text !== '' && parsed === null) fail(`${service} is not a Steno server`);
  return parsed;
};

// <!-- webhook-kinds -->

/** A webhook that does not choose gets only some of them. */
const events = [
  'job.completed',
  'job.failed',
  'video.transcribed',
  'video.failed',
  'follow.paused',
  'captions.changed',
  'budget.warning',
  'budget.exhausted',
];

// <!-- /webhook-kinds -->

let secret = '';
const handled = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const signature = request.headers['x-service-signature'];
  if (!verify({ secret, body, signature })) {
    console.log('refused: not signed with the secret of this webhook, or too old');
    response.writeHead(401).end();
    return;
  }
  // Answered at once: the work comes afterwards.
  response.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (handled.has(id)) return console.log(`again: ${id}`);
  handled.add(id);
  const { type, data } = JSON.parse(body);
  const isJob = type.startsWith('job.');
  const said = isJob ? `${data.job_id} ${data.status}, ${data.credits_charged} credits` : JSON.stringify(data);
  console.log(`verified: ${id} ${type} ${said}`);
});

const stop = async (webhookId) => {
  server.close();
  await ask('DELETE', `/v1/webhooks/${webhookId}`);
  console.log(`removed ${webhookId}`);
  process.exit();
};

server.on('error', ({ code, message }) =>
  fail(code === 'EADDRINUSE' ? `port ${PORT} is in use: set another PORT` : `port ${PORT}: ${message}`),
);
server.listen(Number(PORT), '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const registered = await ask('POST', '/v1/webhooks', { url, events, description: 'webhook-receiver.mjs' });
  secret = registered.secret;
  console.log(`registered ${registered.webhook.id} at ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(registered.webhook.id));
});
