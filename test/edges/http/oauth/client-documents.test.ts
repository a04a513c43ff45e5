import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { authorizationServer } from '#src/edges/http/oauth/authorization-server.ts';
import { memoryOAuthState } from '#test/support/memory-oauth-state.ts';
import { authorizePath } from '#test/support/oauth.ts';

const issuer = 'https://steno.example';
const clientId = 'https://agent.example/client.json';
const redirectUri = 'https://agent.example/callback';
const described = { client_id: clientId, client_name: 'An agent', redirect_uris: [redirectUri] };

/** The status of an authorization request of an application that publishes this, and how often it was fetched. */
const asking = (document: string | Error, status = 200) => {
  let fetches = 0;
  const server = authorizationServer({
    commands: { revokeAuthorization: async () => undefined },
    clock: () => new Date(),
    state: memoryOAuthState(),
    fetchDocument: async () => {
      fetches += 1;
      if (document instanceof Error) throw document;
      return { status, headers: {}, body: document };
    },
    cookieKeys: ['key of a test'],
    accessTokenTtlMs: 900_000,
    baseUrl: async () => issuer,
  });
  const ask = async (more: Readonly<Record<string, string>> = {}) => {
    const url = authorizePath(issuer, clientId, { redirect_uri: redirectUri, ...more });
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url, params: {} });
    const { signal } = new AbortController();
    const about = { requestId: 'req_1', ownId: 'req_1', address: '192.0.2.1', scopes: [], signal };
    return await server.answer({ ...about, request }, null);
  };
  return { ask, fetches: () => fetches };
};

describe('an application that publishes its own description', () => {
  it('is sent to consent, and its description is cached for a while', async () => {
    const { ask, fetches } = asking(JSON.stringify({ ...described, application_type: 'web', jwks_uri: 'https://x/' }));
    for (const _ of [1, 2]) {
      const { status, headers } = await ask();
      assert.equal(status, 303);
      assert.match(String(headers['Location']), /^\/oauth\/consent\//);
    }
    assert.equal(fetches(), 1);
  });

  it('is not sent to an address that it does not name', async () => {
    const { status, headers } = await asking(JSON.stringify(described)).ask({ redirect_uri: 'https://evil.example/' });
    assert.equal(status, 400);
    assert.equal(headers['Location'], undefined);
  });

  for (const [what, document, status] of [
    ['is of another application', JSON.stringify({ ...described, client_id: 'https://other.example/' }), 200],
    ['has a secret', JSON.stringify({ ...described, client_secret: 'x' }), 200],
    [
      'wants to prove itself by a secret',
      JSON.stringify({ ...described, token_endpoint_auth_method: 'client_secret_post' }),
      200,
    ],
    ['names no address', JSON.stringify({ ...described, redirect_uris: [] }), 200],
    ['is no object', '["client"]', 200],
    ['has a name of Object.prototype', '{"__proto__": {"client_id": "x"}}', 200],
    ['is no JSON', '<html>', 200],
    ['is a redirect', '', 302],
    ['is missing', '', 404],
    ['cannot be fetched', new Error('the document has more than 5120 bytes'), 200],
  ] as const) {
    it(`is refused where its description ${what}`, async () => {
      const { status: answered, headers } = await asking(document, status).ask();
      assert.equal(answered, 400);
      assert.equal(headers['Location'], undefined);
    });
  }
});
