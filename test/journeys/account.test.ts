import { describe, it } from 'node:test';
import { createLogger } from '#src/adapters/telemetry/log.ts';
import { startTestApp } from '#test/support/app.ts';
import { assertNowhere, live, rowsOf } from '#test/support/life-of-account.ts';

describe('the life of an account', () => {
  // S17: a dump of the database
  it('from captcha to erasure', async () => {
    let log = '';
    const write = (text: string): void => {
      log += text;
    };
    await using app = await startTestApp({ logger: createLogger({ level: 'debug', sink: { write } }) });
    const secrets = await live([app.url]);
    assertNowhere(secrets, await rowsOf(app.databaseUrl));
    assertNowhere(secrets, [{ place: 'the log', text: log }]);
  });
});
