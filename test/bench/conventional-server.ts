import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

/**
 * A baseline of `http.bench.ts`: the conventional alternative to an event-sourced ledger. One Express route finds
 * the key, takes the credit with a conditional UPDATE, inserts a usage row, commits, and sends bytes from
 * memory. It uses as many Postgres connections as the product, and prepared statements.
 * Arguments: a file with the body, its content type, the database. Prints its address.
 */
const [file = '', contentType = '', connectionString = ''] = process.argv.slice(2);
const body = await readFile(file);
const pool = new pg.Pool({ connectionString, max: 20 });

type Key = { readonly key_id: string; readonly account_id: string };

/** Finds the key of a bearer token; null if it is unknown. */
const findKey = async (authorization = ''): Promise<Key | null> => {
  const hash = createHash('sha256').update(authorization.replace('Bearer ', '')).digest('hex');
  const text = 'SELECT key_id, account_id FROM api_key WHERE secret_hash = $1';
  const { rows } = await pool.query<Key>({ name: 'key', text, values: [hash] });
  return rows[0] ?? null;
};

/** Takes one credit and inserts a usage row in one transaction; false if there was no credit. */
const charge = async ({ key_id, account_id }: Key, videoId: string): Promise<boolean> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const taken = await client.query({
      name: 'take',
      text: 'UPDATE account SET credits = credits - 1 WHERE account_id = $1 AND credits >= 1',
      values: [account_id],
    });
    if (taken.rowCount === 1) {
      await client.query({
        name: 'usage',
        text: `INSERT INTO usage (account_id, key_id, operation, video_id, credits)
               VALUES ($1, $2, 'transcript', $3, 1)`,
        values: [account_id, key_id, videoId],
      });
    }
    await client.query('COMMIT');
    return taken.rowCount === 1;
  } finally {
    client.release();
  }
};

const app = express();
app.disable('etag').disable('x-powered-by');
app.get('/v1/transcripts/:videoId', async (request, response) => {
  const key = await findKey(request.headers.authorization);
  if (key === null) {
    response.sendStatus(401);
    return;
  }
  if (!(await charge(key, request.params.videoId))) {
    response.sendStatus(402);
    return;
  }
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length);
  response.setHeader('X-Credits-Charged', '1');
  response.end(body);
});
const server = createServer({ keepAliveTimeout: 65_000 }, app);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
