import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, loadConfig, namesInFile, readEnvironment } from '#src/config.ts';

const secret = 'mZ4vWq8sKx2LpR7tYb1NcJ5hDf9GaE3u';
const onDatabase = { DATABASE_URL: 'postgres://u:hunter2@db/steno', SECRET_KEY: secret };
const load = (environment: Readonly<Record<string, string>>) => loadConfig({ ...onDatabase, ...environment });

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'steno-config-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
};

describe('the configuration', () => {
  it('is strict, local and complete when nothing is set but the database', () => {
    const config = load({});
    assert.equal(`${config.host}:${config.port} ${config.role}`, '127.0.0.1:3000 all');
    assert.equal(config.database.directUrl, onDatabase.DATABASE_URL);
    assert.deepEqual(config.warnings, []);
    assert.deepEqual(config.trustedProxies, []);
    assert.equal(config.accounts.registration.perIpHour, 5);
    assert.equal(config.captcha.minSolveMs, 1_500);
    assert.deepEqual(
      config.webhooks.scheduleMs.map((ms) => ms / 1_000),
      [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    );
  });

  it('cannot be changed once it is read', () => {
    const config = load({});
    assert.equal(Object.isFrozen(config), true);
    assert.equal(Object.isFrozen(config.limits), true);
    assert.equal(Object.isFrozen(config.webhooks.scheduleMs), true);
  });

  it('treats an empty variable as unset', () => {
    assert.equal(load({ PORT: '  ' }).port, 3_000);
  });

  for (const [name, value, message] of [
    ['PORT', '70000', 'PORT is "70000"; it must be a whole number from 0 to 65535'],
    ['HOST', 'a host', 'HOST is "a host"; it must be a host name or an address'],
    ['HOST', '[::1]', 'HOST is "[::1]"; it must be a host name or an address'],
    ['ROLE', 'boss', 'ROLE is "boss"; it must be one of all, api, worker'],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/33',
      'TRUSTED_PROXIES is "10.0.0.0/33"; it must be a comma-separated list of networks like 10.0.0.0/8',
    ],
    [
      'PLATFORM_ORIGIN',
      'http://platform.example',
      'PLATFORM_ORIGIN is "http://platform.example"; it must be an https origin, or an http origin on loopback',
    ],
    [
      'WEBHOOK_SCHEDULE',
      '0s,soon',
      'WEBHOOK_SCHEDULE is "0s,soon"; it must be a comma-separated list of 1 to 20 durations like 0s,5s,5m,2h',
    ],
    [
      'DATABASE_URL',
      'mysql://root:hunter2@db/x',
      'DATABASE_URL is a secret of 25 characters; it must be a URL like postgres://user:password@host:5432/database, with one host',
    ],
    [
      'HTTP_HEADERS_TIMEOUT',
      '0s',
      'HTTP_HEADERS_TIMEOUT is "0s"; it must be a duration like 500ms, 5s, 30m or 2h, more than 0, at most 1d',
    ],
    [
      'WEBHOOK_TIMEOUT',
      '30d',
      'WEBHOOK_TIMEOUT is "30d"; it must be a duration like 500ms, 5s, 30m or 2h, more than 0, at most 1d',
    ],
    [
      'EXTRACTION_DEADLINE',
      '365d',
      'EXTRACTION_DEADLINE is "365d"; it must be a duration like 500ms, 5s, 30m or 2h, more than 0, at most 1d',
    ],
    ['LISTING_TIMEOUT', '25d', 'LISTING_TIMEOUT is "25d"; it must be a duration like 500ms, 5s, 30m or 2h, at most 1d'],
    ['SHUTDOWN_DRAIN', '30s', 'SHUTDOWN_DRAIN is "30s"; it must be a duration like 500ms or 5s, at most 20s'],
    ['HTTP_REQUEST_TIMEOUT', '5s', 'HTTP_HEADERS_TIMEOUT (10000 ms) must not exceed HTTP_REQUEST_TIMEOUT (5000 ms)'],
    [
      'EVENTSTORE_URL',
      'nonsense',
      'EVENTSTORE_URL is a secret of 8 characters; it must be a URL like esdb://host:2113',
    ],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'nonsense',
      'OTEL_EXPORTER_OTLP_HEADERS is a secret of 8 characters; it must be a comma-separated list of name=value',
    ],
    [
      'SMTP_URL',
      'smtp://mail.example',
      'MAIL_FROM is not set, but SMTP_URL requires it; it must be an address, or a name and address like Steno <no-reply@example.org>',
    ],
    [
      'REQUIRE_MAILBOX_PROOF',
      'true',
      'REQUIRE_MAILBOX_PROOF is true, but SMTP_URL is not set: nobody could get the link',
    ],
    [
      'CAPTCHA_PROVIDER',
      'turnstile',
      'CAPTCHA_SITE_KEY is not set, but CAPTCHA_PROVIDER=turnstile requires it; it must be one line of text',
    ],
  ] as const) {
    it(`refuses ${name}=${value.slice(0, 12)} with one line and no secret`, () => {
      assert.throws(() => load({ [name]: value }), { name: 'ConfigError', message });
    });
  }

  for (const SECRET_KEY of ['changeme-changeme-changeme-changeme', 'short', 'x'.repeat(64)]) {
    const refusal = {
      name: 'ConfigError',
      message: `SECRET_KEY is a secret of ${SECRET_KEY.length} characters; it must be 32 or more random characters (generate them with: openssl rand -base64 48)`,
    };

    it(`refuses a guessable secret of ${SECRET_KEY.length} characters if other machines can reach the service`, () => {
      assert.throws(() => load({ SECRET_KEY, HOST: '0.0.0.0' }), refusal);
      assert.throws(() => load({ SECRET_KEY, PUBLIC_URL: 'https://steno.example' }), refusal);
    });

    it(`warns about a guessable secret of ${SECRET_KEY.length} characters if only this machine can reach the service`, () => {
      const { warnings, secretKey } = load({ SECRET_KEY });
      assert.equal(secretKey, SECRET_KEY);
      assert.deepEqual(warnings, ['SECRET_KEY is guessable: it is refused if other machines can reach the service']);
    });
  }

  it('refuses a configured database without a secret', () => {
    assert.throws(() => loadConfig({ DATABASE_URL: onDatabase.DATABASE_URL }), /^ConfigError: SECRET_KEY is not set/);
  });

  it('warns if a separate worker does not know the address of the service', () => {
    assert.match(load({ ROLE: 'worker' }).warnings.join(), /^PUBLIC_URL is not set: links/);
    for (const known of [{ ROLE: 'worker', PUBLIC_URL: 'https://steno.example' }, { ROLE: 'api' }, { ROLE: 'all' }]) {
      assert.deepEqual(load(known).warnings, []);
    }
  });

  it('warns about every setting that is less strict than its default, and about no stricter one', () => {
    const { warnings } = load({
      REGISTRATIONS_PER_IP_HOUR: '50',
      REGISTRATIONS_PER_IP_DAY: '2',
      CAPTCHA_MIN_SOLVE_MS: '0',
      SESSION_MAX: '90d',
      SESSION_IDLE: '1h',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      TRUSTED_PROXIES: '0.0.0.0/0',
      HOST: '0.0.0.0',
    });
    assert.deepEqual(
      warnings.map((warning) => warning.split(/[ ,]/)[0]),
      [
        'CAPTCHA_MIN_SOLVE_MS',
        'REGISTRATIONS_PER_IP_HOUR',
        'SESSION_MAX',
        'OUTBOUND_ALLOW',
        'TRUSTED_PROXIES',
        'PUBLIC_URL',
      ],
    );
  });

  it('accepts the URL of a KurrentDB cluster with several hosts', () => {
    for (const EVENTSTORE_URL of [
      'esdb+discover://events:2113',
      'kurrentdb://admin:changeit@a:2113,b:2113,c:2113?tls=true',
      'esdb://a,b/?nodePreference=leader',
    ])
      load({ EVENTSTORE_URL });
    for (const EVENTSTORE_URL of ['esdb://', 'esdb://:1,b:2113', 'http://a:2113,b:2113'])
      assert.throws(() => load({ EVENTSTORE_URL }), /EVENTSTORE_URL is/);
  });

  it('generates no new secret for an embedded database whose secret file is missing', () => {
    using data = folder();
    loadConfig({ DATA_DIR: data.path });
    mkdirSync(join(data.path, 'postgres', 'data'), { recursive: true });
    loadConfig({ DATA_DIR: data.path });
    rmSync(join(data.path, 'secret-key'));
    assert.throws(
      () => loadConfig({ DATA_DIR: data.path }),
      /^ConfigError: SECRET_KEY is not set, and .*secret-key is missing although a database exists/,
    );
    assert.equal(loadConfig({ DATA_DIR: data.path, SECRET_KEY: secret }).secretKey, secret);
  });

  it('reports DATA_DIR if the secret in it cannot be read', () => {
    using data = folder();
    mkdirSync(join(data.path, 'secret-key'));
    assert.throws(
      () => loadConfig({ DATA_DIR: data.path }),
      /^ConfigError: DATA_DIR is ".*", but its secret-key cannot be read: EISDIR/,
    );
  });

  it('reads a renamed setting under its former name, and warns about it', () => {
    const { listingTimeoutMs, warnings } = load({ LISTING_PATIENCE: '7s' });
    assert.equal(listingTimeoutMs, 7_000);
    assert.deepEqual(warnings, [
      'LISTING_PATIENCE is now called LISTING_TIMEOUT: the next release will not read the old name',
    ]);
    assert.equal(load({ LISTING_PATIENCE: '7s', LISTING_TIMEOUT: '9s' }).listingTimeoutMs, 9_000);
  });

  it('resolves a relative DATA_DIR against the working folder', () => {
    using data = folder();
    assert.equal(loadConfig({}, data.path).dataDir, join(data.path, '.data'));
    assert.equal(statSync(join(data.path, '.data', 'secret-key')).isFile(), true);
  });

  it('refuses a DATA_DIR below node_modules, where an install deletes it', () => {
    using data = folder();
    const installed = join(data.path, 'node_modules', 'steno');
    assert.throws(
      () => loadConfig({}, installed),
      /^ConfigError: DATA_DIR is ".*", inside node_modules, where the next install deletes it; set DATA_DIR to a folder elsewhere/,
    );
    assert.equal(load({ DATA_DIR: installed }).dataDir, installed);
  });

  it('creates the secret of an embedded database once, for its owner only', () => {
    using data = folder();
    const first = loadConfig({ DATA_DIR: data.path });
    assert.equal(first.secretKey.length, 64);
    assert.equal(loadConfig({ DATA_DIR: data.path }).secretKey, first.secretKey);
    assert.equal(statSync(join(data.path, 'secret-key')).mode & 0o777, 0o600);
    writeFileSync(join(data.path, 'secret-key'), 'cut');
    assert.throws(() => loadConfig({ DATA_DIR: data.path }), ConfigError);
  });

  it('refuses a folder that cannot be created, without retrying forever', () => {
    for (const path of ['/proc/steno/data', '/dev/null', '/dev/null/data']) {
      assert.throws(
        () => loadConfig({ DATA_DIR: path }),
        new RegExp(`^ConfigError: DATA_DIR is "${path}", which is not writable: E`),
      );
    }
  });

  it('is read from a .env file, which may begin with a byte order mark', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'steno-env-'));
    writeFileSync(join(folder.path, '.env'), '\ufeffHOST_OF_A_TEST=a\r\nTZ_OF_A_TEST="b c"\r\n');
    const { HOST_OF_A_TEST, TZ_OF_A_TEST } = readEnvironment(folder.path);
    assert.deepEqual([HOST_OF_A_TEST, TZ_OF_A_TEST], ['a', 'b c']);
  });

  it('reads each secret from the file that NAME_FILE names, without the trailing newline', () => {
    using data = folder();
    const path = join(data.path, 'key');
    writeFileSync(path, `${secret}\r\n`);
    const { DATABASE_URL } = onDatabase;
    assert.equal(loadConfig({ DATABASE_URL, SECRET_KEY_FILE: path }).secretKey, secret);
    const relative = { DATABASE_URL, SECRET_KEY_FILE: 'key' };
    assert.equal(loadConfig(relative, data.path).secretKey, secret);
    writeFileSync(path, DATABASE_URL);
    const url = { DATABASE_URL_FILE: path, SECRET_KEY: secret };
    assert.equal(loadConfig(url).database.url, DATABASE_URL);
    for (const [given, message] of [
      [{ SECRET_KEY_FILE: path }, /^SECRET_KEY and SECRET_KEY_FILE are both set; set one of them$/],
      [{ REDIS_URL_FILE: data.path }, /^REDIS_URL_FILE is ".*", which cannot be read: EISDIR/],
      [{ CAPTCHA_SECRET_FILE: '/dev/null' }, /^CAPTCHA_SECRET_FILE is ".*", which is empty$/],
      // Its content is not shown, as that of the variable is not.
      [{ OPENAI_API_KEY_FILE: join(data.path, 'none') }, /^OPENAI_API_KEY_FILE is .*ENOENT/],
      [{ REDIS_URL_FILE: path }, /^REDIS_URL is a secret of \d+ characters; it must be a redis/],
    ] as const) {
      assert.throws(() => load(given), { name: 'ConfigError', message });
    }
    assert.equal(load({ HOST_FILE: '/nowhere' }).host, '127.0.0.1', 'only secrets have files');
  });

  it('warns about an unknown name, and suggests the nearest setting', () => {
    using data = folder();
    const names = ['SECRET_KEY=x', 'SECRET_KEY_FILE=y', 'DATABASE_ULR=z', 'LISTING_PATIENCE=1s'];
    writeFileSync(join(data.path, '.env'), [...names, 'POSTGRES_PASSWORD=p', 'WORKERS=3'].join('\n'));
    const inFile = namesInFile(data.path);
    const inEnvironment = { ...onDatabase, REDIS_ULR: 'a', PATH: '/bin', DATABASE_HOST: 'db' };
    assert.deepEqual(loadConfig(inEnvironment, '.', inFile).warnings, [
      'DATABASE_ULR in .env is not a setting; did you mean DATABASE_URL?',
      'WORKERS in .env is not a setting; see docs/settings.md',
      'REDIS_ULR is set but is not a setting; did you mean REDIS_URL?',
    ]);
  });

  it('ignores a folder named .env', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'steno-env-'));
    mkdirSync(join(folder.path, '.env'));
    assert.deepEqual(readEnvironment(folder.path), { ...process.env });
  });
});
