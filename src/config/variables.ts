import {
  choice,
  cidr,
  duration,
  ed25519Key,
  exampleVideos,
  headerPair,
  hostName,
  httpUrl,
  kurrentUrl,
  listOf,
  listOrNone,
  logOrigin,
  mailSender,
  oneOf,
  optional,
  permission,
  portRange,
  positiveDuration,
  postgresUrl,
  redisUrl,
  required,
  secureOrigin,
  secureUrl,
  smtpUrl,
  text,
  upTo,
  whole,
  wholeWithin,
} from './kinds.ts';

const million = 1_000_000;
const secret = { isSecret: true } as const;
const cidrs = 'a comma-separated list of networks like 10.0.0.0/8';
const durationWords = 'a duration like 500ms, 5s, 30m, 2h or 1d, at most 365d';
const limitWords = 'a duration like 500ms, 5s, 30m, 2h or 1d, more than 0, at most 365d';
const waitWords = 'a duration like 500ms, 5s, 30m or 2h, more than 0, at most 1d';
/** A time, as operators write it. */
const time = (about: string, fallback: string, looser?: 'more' | 'less') =>
  required(about, fallback, durationWords, duration, { looser });
/** A time that is never 0. */
const limit = (about: string, fallback: string, looser?: 'more') =>
  required(about, fallback, limitWords, positiveDuration, { looser });
/** A time that is waited for. */
const wait = (about: string, fallback: string, looser?: 'less') =>
  required(about, fallback, waitWords, upTo('1d', positiveDuration), { looser });
/** How often something is allowed; more is looser. */
const allowed = (about: string, fallback: number) => whole(about, fallback, [1, million], 'more');
const database = (about: string) =>
  optional(about, 'a URL like postgres://user:password@host:5432/database, with one host', postgresUrl, secret);
const signingKey = (about: string) => optional(about, 'an Ed25519 private key (PKCS 8, PEM)', ed25519Key, secret);
const line = (about: string, extras?: typeof secret) => optional(about, 'one line of text', text, extras);

/** Every environment variable of the program. The order is that of `.env.example`. */
export const variables = {
  PORT: whole('Port to listen on; 0 takes a free one.', 3000, [0, 65_535]),
  HOST: required('Address to listen on.', '127.0.0.1', 'a host name or an address', hostName),
  ROLE: oneOf('What this process does.', 'all', ['all', 'api', 'worker']),
  DATA_DIR: required(
    'Directory of the embedded Postgres and of generated secrets; a relative path starts at the working directory.',
    '.data',
    'a path',
    text,
  ),
  PUBLIC_URL: optional(
    'Base URL of links to the service; unset: built from HOST and PORT.',
    'an http or https URL',
    httpUrl,
  ),
  EXAMPLE_VIDEOS: required(
    'Example videos on the start page.',
    'jNQXAC9IVRw=Me at the zoo;aqz-KE-bpKQ=Big Buck Bunny',
    'ids with their titles, `ID=Title;ID=Title`',
    exampleVideos,
  ),
  TRUSTED_PROXIES: required(
    'Networks of the load balancers whose X-Forwarded-For is trusted.',
    '',
    cidrs,
    listOrNone(cidr),
  ),
  MCP_ALLOWED_HOSTS: required(
    'Host names that /mcp accepts, in addition to that of PUBLIC_URL and localhost.',
    '',
    'a comma-separated list of host names',
    listOrNone(hostName),
  ),
  SHUTDOWN_DRAIN: required(
    'How long readiness returns 503 at shutdown before connections close; set it to the check interval of the load balancer.',
    '500ms',
    'a duration like 500ms or 5s, at most 20s',
    upTo('20s', duration),
  ),
  HTTP_MAX_CONNECTIONS: whole(
    'Maximum number of open connections; further ones are closed without a response.',
    10_000,
    [10, 1_000_000],
  ),
  HTTP_MAX_IN_FLIGHT: whole(
    'Maximum number of requests in flight; further ones are answered with 503.',
    2_000,
    [1, 100_000],
  ),
  HTTP_HEADERS_TIMEOUT: wait('Time limit for receiving the headers of a request.', '10s'),
  HTTP_REQUEST_TIMEOUT: wait('Time limit for receiving a whole request.', '30s'),

  DATABASE_URL: database('Postgres 15 to 18; unset: the embedded one in DATA_DIR.'),
  DATABASE_DIRECT_URL: database(
    'Direct connection for LISTEN, the worker and migrations; required if DATABASE_URL points to a transaction pooler.',
  ),
  DATABASE_READ_URL: database('Read replica for queries.'),
  IDLE_TRANSACTION_ALARM: limit(
    'How long a transaction of any client may be idle in the database before an alert is raised.',
    '60s',
  ),
  DATABASE_POOL_SIZE: optional(
    'Connection pool size of each process, which uses eight more connections for queries, notifications and locks; unset: 20, or 4 for a process that is only a worker.',
    'a whole number from 1 to 500',
    wholeWithin([1, 500]),
  ),
  WORKER_POOL_SIZE: whole('Additional connections of a worker for its queue; values below 8 count as 8.', 8, [2, 500]),
  WORKER_CONCURRENCY: whole('Items that a worker reads concurrently, for each egress.', 8, [1, 100]),
  LISTING_TIMEOUT: required(
    'How long a request that creates a job from a playlist or channel waits for the list of videos; after that, the worker lists them.',
    '20s',
    'a duration like 500ms, 5s, 30m or 2h, at most 1d',
    upTo('1d', duration),
  ),
  RESERVATION_TIMEOUT: limit(
    'How long credits stay reserved for a job that does not start; after that, they are released.',
    '60s',
  ),
  REDIS_URL: optional(
    'Redis for rate limits shared by all processes; unset: each process counts alone, and a second API process refuses to start.',
    'a redis or rediss URL',
    redisUrl,
    secret,
  ),
  EVENTSTORE_URL: optional(
    'Connection string, with credentials and TLS options, of a KurrentDB to which a worker relays every event.',
    'a URL like esdb://host:2113',
    kurrentUrl,
    secret,
  ),
  SECRET_KEY: optional(
    'Key for signatures and encryption; generated once in DATA_DIR with the embedded Postgres, otherwise required.',
    '32 or more random characters (generate them with: openssl rand -base64 48)',
    text,
    secret,
  ),
  SECRET_KEY_PREVIOUS: optional(
    'The key that SECRET_KEY replaces: existing data stay readable while a worker re-encrypts them. steno doctor reports when it can be removed.',
    'the previous SECRET_KEY',
    text,
    secret,
  ),

  TLOG_ORIGIN: optional(
    'Name of the transparency log of the ledgers, fixed at the first start; unset: the host of PUBLIC_URL with /tlog.',
    'a name like example.org/tlog, without a scheme, spaces or +',
    logOrigin,
  ),
  TLOG_INTERVAL: required(
    'Maximum time until a ledger entry is in a signed checkpoint of the transparency log.',
    '60s',
    'a duration like 500ms, 5s or 1m, more than 0, at most 1h',
    upTo('1h', positiveDuration),
  ),
  TLOG_KEY: signingKey('Key that signs the checkpoints of the transparency log; unset: one derived from SECRET_KEY.'),

  RECEIPT_KEY: signingKey(
    'Key that signs receipts; unset: one derived from SECRET_KEY. Earlier public keys stay published.',
  ),

  SMTP_URL: optional(
    'Mail server; unset: no mail is sent. smtps uses TLS from the start; smtp uses STARTTLS if the server offers it, and never sends a password to another machine without TLS.',
    'a URL like smtps://user:password@host:465 or smtp://host:25, reserved characters percent-encoded',
    smtpUrl,
    secret,
  ),
  MAIL_FROM: optional(
    'Sender of mails; required with SMTP_URL.',
    'an address, or a name and address like Steno <no-reply@example.org>',
    mailSender,
  ),
  SUPPORT_CONTACT: optional(
    'Contact that the page for forgotten passwords names if no mail is sent; unset: the operator of the service.',
    'one line of text, such as a mail address',
    text,
  ),
  REQUIRE_MAILBOX_PROOF: choice(
    'Whether a newly registered account has only the daily credits of a visitor until its owner opens a link sent to the mailbox; true requires SMTP_URL.',
  ),

  PLATFORM_ORIGIN: optional(
    'Origin to which all requests to the video platform are sent; unset: the platform itself.',
    'an https origin, or an http origin on loopback',
    secureOrigin,
  ),
  PLATFORM_PROXIES: required(
    'Proxies for requests to the platform.',
    '',
    'a comma-separated list of http or https URLs',
    listOrNone(httpUrl),
    secret,
  ),
  PLATFORM_CONCURRENCY: whole(
    'Concurrent requests to the platform, for each egress; ignored with PLATFORM_ORIGIN.',
    8,
    [1, 1_000],
  ),
  PLATFORM_PER_SECOND: whole(
    'Requests to the platform per second, for each egress; ignored with PLATFORM_ORIGIN.',
    20,
    [1, 10_000],
  ),
  EXTRACTION_DEADLINE: wait('Time limit of an extraction.', '20s'),
  TRANSCRIPT_MAX_AGE: time('How long captions are cached.', '24h'),

  FOLLOW_INTERVAL: wait('Default interval at which a followed channel or playlist is checked.', '1h'),
  FOLLOW_MIN_INTERVAL: wait('Shortest interval that a follow may have.', '15m', 'less'),
  FOLLOW_CAPTION_RETRIES: required(
    'When a new video without captions is retried, counted from its discovery or, if it was live, from its end; after the last retry it fails.',
    '1h,6h,24h',
    'a comma-separated list of 1 to 20 durations like 1h,6h,24h',
    listOf(positiveDuration, 20),
  ),
  FOLLOW_PAUSE_AFTER: limit('How long the platform may refuse a followed source before its follows are paused.', '72h'),
  FOLLOW_RECHECK: required(
    'When the captions of a video that a follow has transcribed are checked for changes, counted from its transcription.',
    '1h,1d,7d',
    'a comma-separated list of 1 to 20 durations like 1h,1d,7d',
    listOf(positiveDuration, 20),
  ),

  OPENAI_API_KEY: line('API key of the AI provider; if OPENAI_BASE_URL is unset too, no model is used.', secret),
  OPENAI_BASE_URL: optional('OpenAI-compatible endpoint; unset: that of OpenAI.', 'an http or https URL', httpUrl),
  AI_MODEL: required('Model for text generation.', 'gpt-4.1-mini', 'one line of text', text),
  AI_EMBEDDING_MODEL: line('Model for embeddings; unset: no embeddings.'),
  AI_TRANSCRIPTION_MODEL: line('Model for speech recognition; unset: no speech recognition.'),
  AI_STRUCTURED: oneOf(
    'How model output is constrained to its schema; if an endpoint rejects a mode, the next one is used.',
    'json_schema',
    ['json_schema', 'json_object', 'none'],
  ),
  AI_CONTEXT_TOKENS: whole(
    'Context size of the model in tokens; transcripts longer than three fifths of it are sent in parts.',
    32_000,
    [2_000, 2_000_000],
  ),
  AI_DEADLINE: required(
    'How long an operation waits for the model; after that, the result is produced without it.',
    '25s',
    'a duration like 500ms or 5s, more than 0, at most 28s',
    upTo('28s', positiveDuration),
  ),
  AI_CONCURRENCY: whole('Concurrent requests to the AI provider, for each process.', 16, [1, 1_000]),
  AI_CONCURRENCY_PER_ACCOUNT: whole('The same, for each account.', 4, [1, 1_000]),

  CAPTCHA_PROVIDER: oneOf('Captcha provider at registration.', 'internal', ['internal', 'turnstile', 'hcaptcha']),
  CAPTCHA_SITE_KEY: line('Site key of the captcha provider.'),
  CAPTCHA_SECRET: line('Secret of the captcha provider.', secret),
  CAPTCHA_VERIFY_URL: optional(
    'URL at which captcha answers are verified; unset: that of the provider.',
    'an https URL, or an http URL on loopback',
    secureUrl,
  ),
  CAPTCHA_MIN_SOLVE_MS: whole(
    'Captcha answers given sooner than this are refused (milliseconds).',
    1_500,
    [0, 60_000],
    'less',
  ),
  CAPTCHA_TTL: limit('How long a captcha stays valid.', '10m', 'more'),

  REGISTRATIONS_PER_IP_HOUR: allowed('Registrations per hour from one address (IPv6: /64).', 5),
  REGISTRATIONS_PER_IP_DAY: allowed('Registrations per day from one address (IPv6: /64).', 20),
  REGISTRATIONS_PER_DOMAIN_HOUR: allowed('Registrations per hour for one mail domain.', 20),
  REGISTRATIONS_PER_FREE_MAIL_DOMAIN_HOUR: allowed(
    'Registrations per hour for one domain of a large free mail provider.',
    500,
  ),
  REGISTRATION_TRIES_PER_MAILBOX_DAY: allowed('Attempts per day to register one mailbox.', 3),
  REGISTRATIONS_PER_HOUR: allowed('Registrations per hour in total.', 200),
  LOGIN_FAILURES_PER_15_MIN: allowed(
    'Failed sign-ins within 15 minutes for one mailbox from one address (IPv6: /64), or from one browser that has been signed in to it before; after that, sign-in from there must wait.',
    5,
  ),
  LOGIN_FAILURES_ALL_ADDRESSES_15_MIN: allowed(
    'Failed sign-ins within 15 minutes for one mailbox from all addresses; after that, all browsers must wait except those that have been signed in to it before.',
    50,
  ),
  LOGIN_FAILURES_PER_IP_15_MIN: allowed(
    'Failed sign-ins within 15 minutes from one address (IPv6: /64), for all mailboxes.',
    30,
  ),
  LOGIN_WAIT_FIRST: time('Initial wait after too many failures; each further failure doubles it.', '1m', 'less'),
  LOGIN_WAIT_MAX: time('Maximum wait after a failed sign-in.', '1h', 'less'),
  PASSWORD_RESETS_PER_IP_HOUR: allowed('Password reset links that one address (IPv6: /64) may request per hour.', 10),
  PASSWORD_RESETS_PER_MAILBOX_DAY: allowed(
    'Password reset links that one address may request per day for one mailbox. If a mailbox gets more requests in a day, from any address, its mails are sent at growing intervals of up to half an hour.',
    5,
  ),
  PASSWORD_HASH_MEMORY_KIB: whole(
    'Memory of one argon2id hash in KiB; a weaker hash is replaced at sign-in.',
    19_456,
    [1_024, 1_048_576],
    'less',
  ),
  PASSWORD_HASH_PASSES: whole('Passes (iterations) of one argon2id hash.', 2, [1, 20], 'less'),
  PASSWORD_HASHES_AT_ONCE: whole('Concurrent password hashes, limited by the number of cores.', 4, [1, 64], 'more'),
  PASSWORD_HASHES_WAITING: whole(
    'Sign-ins that may wait for a hash; further ones are answered with 503.',
    400,
    [0, 100_000],
    'more',
  ),
  ACCOUNT_CHANGES_PER_DAY: whole(
    'Password changes, exports of personal data and requests for a verification link, each per day and account.',
    10,
    [1, 1_000],
    'more',
  ),
  ORIGINS_KEPT: time('How long the IP addresses from which an account was used are stored.', '90d', 'more'),
  SESSION_IDLE: limit('A session ends after this time without use.', '7d', 'more'),
  SESSION_MAX: limit('A session ends this long after it started, even if it is in use.', '30d', 'more'),
  SESSION_RENEW_AFTER: time(
    'A session in use is extended at most once in this time, to avoid a write for each request.',
    '1d',
  ),
  SESSIONS_PER_USER: whole('Sessions per user; one more ends the oldest.', 10, [1, 1_000], 'more'),
  ANONYMOUS_CREDITS_PER_DAY: whole(
    'Credits per day for a visitor without an account, and for all visitors from one address together.',
    600,
    [0, million],
    'more',
  ),
  ANONYMOUS_REQUESTS_PER_MINUTE: allowed('Requests per minute from one visitor.', 30),
  UNAUTHENTICATED_REQUESTS_PER_MINUTE: allowed('Requests per minute without a valid key from one address.', 60),
  LISTINGS_PER_MINUTE: allowed(
    'Requests per minute that list a playlist or channel (jobs, dry runs and lists of videos), from one account, or from one address without an account.',
    20,
  ),
  ABANDONED_CREDITS_PER_MINUTE: whole(
    'Work that one account, or one address without an account, may start and abandon per minute, in the credits it would have cost.',
    20,
    [1, million],
    'more',
  ),
  ABANDONED_CREDITS_PER_DAY: whole('The same, per day.', 100, [1, million], 'more'),
  OAUTH_ACCESS_TOKEN_TTL: limit('Lifetime of an access token of an authorized application.', '15m', 'more'),
  OAUTH_REGISTRATIONS_PER_IP_HOUR: allowed('Applications that one address may register per hour.', 20),
  KEYS_PER_ACCOUNT: whole('Active keys per account.', 25, [1, 1_000], 'more'),
  WEBHOOKS_PER_ACCOUNT: whole('Active webhooks per account.', 10, [1, 1_000], 'more'),

  OUTBOUND_ALLOW: required(
    'Non-public networks to which webhooks (also over http) and requests for client metadata documents may go.',
    '',
    cidrs,
    listOrNone(cidr),
    { looser: 'set' },
  ),
  WEBHOOK_ALLOW_HTTP: permission('Whether webhooks may use http on public networks as well.'),
  WEBHOOK_PORTS: required(
    'Ports that webhooks may use.',
    '80,443,8000-9999',
    'a comma-separated list of ports and ranges like 443,8000-9999',
    listOf(portRange),
  ),
  WEBHOOK_SCHEDULE: required(
    'Delay before each delivery attempt.',
    '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h',
    'a comma-separated list of 1 to 20 durations like 0s,5s,5m,2h',
    listOf(duration, 20),
  ),
  WEBHOOK_CONNECT_TIMEOUT: wait('Time limit for connecting to a receiver.', '5s'),
  WEBHOOK_TIMEOUT: wait('Time limit of a whole delivery attempt.', '15s'),
  WEBHOOK_DISABLE_AFTER: limit('A webhook that has failed for this long without a success is disabled.', '5d'),
  PLANS_FILE: optional(
    'File with names, prices and features of the plans, in English and other languages (see operations.md); unset: the built-in ones.',
    'the path of a JSON file',
    text,
  ),
  BILLING_CONFIGURED: choice('Whether plans can be bought here.'),

  LOG_LEVEL: oneOf('Minimum level of logged messages.', 'info', ['debug', 'info', 'warn', 'error']),
  METRICS_TOKEN: optional(
    'Bearer token with which other machines may read /metrics; unset: only this machine may.',
    'at least 16 visible characters',
    (value) => (/^[\x21-\x7e]{16,400}$/.test(value) ? value : null),
    secret,
  ),
  METRICS_PORT: optional(
    'Port on which a worker serves /metrics, the only port that it opens; 0 takes a free one; unset: none.',
    'a whole number from 0 to 65535',
    (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : null),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'OpenTelemetry collector to which traces are sent, as OTLP over HTTP; unset: no traces.',
    'an http or https URL',
    httpUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    'Headers sent with traces.',
    'a comma-separated list of name=value',
    listOf(headerPair),
    secret,
  ),
  OTEL_SERVICE_NAME: required('Service name in traces.', 'steno', 'one line of text', text),
  OTEL_TRACES_SAMPLER_ARG: required(
    'Fraction of requests that are traced; the sampling decision of a caller takes precedence.',
    '1',
    'a number from 0 to 1',
    (value) => (/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(value) ? Number(value) : null),
  ),
} as const;

/** What the variables hold once they are read. */
export type Values = {
  readonly [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['schema']['parse']>;
};
