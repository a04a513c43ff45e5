import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** The options of curl that the documents use, for machines without curl: the suite needs only Node. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    request: { type: 'string', short: 'X' },
    output: { type: 'string', short: 'o' },
    include: { type: 'boolean', short: 'i', default: false },
    silent: { type: 'boolean', short: 's', default: false },
    'no-buffer': { type: 'boolean', short: 'N', default: false },
  },
});
const headers = new Headers({ accept: '*/*' });
if (values.data !== undefined) {
  headers.set('content-type', 'application/x-www-form-urlencoded');
}
for (const line of values.header) {
  const colon = line.indexOf(':');
  headers.set(line.slice(0, colon), line.slice(colon + 1).trim());
}
const answer = await fetch(positionals[0] ?? '', {
  method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
  headers,
  body: values.data ?? null,
});
const head = [`HTTP/1.1 ${answer.status} ${answer.statusText}`];
for (const [name, value] of answer.headers) head.push(`${name}: ${value}`);
const body = Buffer.from(await answer.arrayBuffer());
if (values.include) process.stdout.write(`${head.join('\r\n')}\r\n\r\n`);
if (values.output === undefined) process.stdout.write(body);
else writeFileSync(values.output, body);
