import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

/**
 * The baseline of `http.bench.ts`: one Express route that sends bytes from memory, without a key, a limit, a
 * charge or a database; for `mcp.bench.ts` a second route that parses a JSON body first. Arguments: a file with the body
 * to send, its content type. Prints its address.
 */
const [file = '', contentType = ''] = process.argv.slice(2);
const body = await readFile(file);
const app = express();
// Without them it is faster: an ETag would hash the body for every answer.
app.disable('etag').disable('x-powered-by');
const answer = (_: express.Request, response: express.Response): void => {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length);
  response.end(body);
};
app.get('/v1/transcripts/:videoId', answer);
app.post('/mcp', express.json(), answer);
const server = createServer({ keepAliveTimeout: 65_000 }, app);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
