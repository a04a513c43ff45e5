import {
  cidr,
  duration,
  ed25519Key,
  exampleVideos,
  headerPair,
  hostName,
  httpUrl,
  kurrentUrl,
  listOf,
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
const cidrs = 'a comma list of networks like 10.0.0.0/8';
const durationWords = 'a duration like 500ms, 5s, 30m, 2h or 1d, at most 365d';
const limitWords = 'a duration like 500ms, 5s, 30m, 2h or 1d, more than 0, at most 365d';
/** A time, as operators write it. */
const time = (about: string, fallback: string, more: Parameters<typeof required>[4] = {}) =>
  required(about, fallback, durationWords, duration, more);
/** A time that is never 0. */
const limit = (about: string, fallback: string, more: Parameters<typeof required>[4] = {}) =>
  required(about, fallback, limitWords, positiveDuration, more);
/** A time that is waited for. */
const wait = (about: string, fallback: string) =>
  required(
    about,
    fallback,
    'a duration like 500ms, 5s, 30m or 2h, more than 0, at most 1d',
    upTo('1d', positiveDuration),
  );
/** How often something is allowed; more is looser. */
const allowed = (about: string, fallback: number) => whole(about, fallback, [1, million], 'more');
const postgresWords = 'a URL like postgres://user:password@host:5432/database, with one host';

/** Every environment variable of the program. The order is that of `.env.example`. */
export const variables = {
  PORT: whole('Port to listen on; 0 takes a free one.', 3000, [0, 65_535]),
  HOST: required('Address to listen on.', '127.0.0.1', 'a host name or an address', hostName),
  ROLE: oneOf('What this process does.', 'all', ['all', 'api', 'worker']),
  DATA_DIR: required(
    'Folder of the embedded Postgres and of made secrets; relative to the working folder.',
    '.data',
    'a path',
    text,
  ),
  PUBLIC_URL: optional('Absolute base of links; unset: from HOST and PORT.', 'an http or https URL', httpUrl),
  EXAMPLE_VIDEOS: required(
    'Videos that the start page offers to try.',
    'jNQXAC9IVRw=Me at the zoo;aqz-KE-bpKQ=Big Buck Bunny',
    'ids with their titles, `ID=Title;ID=Title`',
    exampleVideos,
  ),
  TRUSTED_PROXIES: required('Networks of the load balancers whose X-Forwarded-For is believed.', '', cidrs, (value) =>
    value === '' ? [] : listOf(cidr)(value),
  ),
  MCP_ALLOWED_HOSTS: required(
    'Host names under which /mcp may be reached, besides that of PUBLIC_URL and localhost.',
    '',
    'a comma list of host names',
    (value) => (value === '' ? [] : listOf(hostName)(value)),
  ),
  SHUTDOWN_DRAIN: required(
    'How long readiness says no before connections close: one check interval of the load balancer.',
    '500ms',
    'a duration like 500ms or 5s, at most 20s',
    upTo('20s', duration),
  ),
  HTTP_MAX_CONNECTIONS: whole('Connections at once; one more is closed without an answer.', 10_000, [10, 1_000_000]),
  HTTP_MAX_IN_FLIGHT: whole('Requests under way at once; one more is answered 503.', 2_000, [1, 100_000]),
  HTTP_HEADERS_TIMEOUT: wait('The headers of a request must have arrived within this time.', '10s'),
  HTTP_REQUEST_TIMEOUT: wait('A whole request must have arrived within this time.', '30s'),

  DATABASE_URL: optional('Postgres 15 to 18; unset: an embedded one in DATA_DIR.', postgresWords, postgresUrl, secret),
  DATABASE_DIRECT_URL: optional(
    'For LISTEN, worker and migrations, when DATABASE_URL goes through a transaction pooler.',
    postgresWords,
    postgresUrl,
    secret,
  ),
  DATABASE_READ_URL: optional('A replica for queries.', postgresWords, postgresUrl, secret),
  IDLE_TRANSACTION_ALARM: limit(
    'A transaction that stands idle in the database for longer, whoever began it, raises an alert.',
    '60s',
  ),
  DATABASE_POOL_SIZE: optional(
    'Connections in the pool of each process; each has eight more, for queries, notifications and locks. Unset: 20, of a worker alone 4.',
    'a whole number from 1 to 500',
    wholeWithin([1, 500]),
  ),
  WORKER_POOL_SIZE: whole(
    'Further connections of a worker process, for its queue; less than 8 is taken as 8.',
    8,
    [2, 500],
  ),
  WORKER_CONCURRENCY: whole('Items a worker reads at once, for each egress.', 8, [1, 100]),
  LISTING_TIMEOUT: required(
    'How long a caller who makes a job of a playlist or channel waits for its videos; then the worker lists them.',
    '20s',
    'a duration like 500ms, 5s, 30m or 2h, at most 1d',
    upTo('1d', duration),
  ),
  RESERVATION_TIMEOUT: limit(
    'How long credits may be set aside for a job that does not begin; then they are given back.',
    '60s',
  ),
  REDIS_URL: optional(
    'Where processes share rate limits; unset: each counts alone, and a second API process refuses to start.',
    'a redis or rediss URL',
    redisUrl,
    secret,
  ),
  EVENTSTORE_URL: optional(
    'A KurrentDB to which a worker relays every event; its connection string, with credentials and TLS.',
    'a URL like esdb://host:2113',
    kurrentUrl,
    secret,
  ),
  SECRET_KEY: optional(
    'Signs and encrypts. Made once in DATA_DIR with the embedded Postgres, otherwise required.',
    '32 or more random characters (make them by: openssl rand -base64 48)',
    text,
    secret,
  ),
  SECRET_KEY_PREVIOUS: optional(
    'The key that SECRET_KEY replaces: what was made with it goes on working, and a worker makes it anew. steno doctor says when it can be taken away.',
    'the former SECRET_KEY',
    text,
    secret,
  ),

  TLOG_ORIGIN: optional(
    'Name of the transparency log of the ledgers, fixed at the first start; unset: the host of PUBLIC_URL and /tlog.',
    'a name like example.org/tlog, without a scheme, blanks and +',
    logOrigin,
  ),
  TLOG_INTERVAL: required(
    'A ledger entry is in a signed checkpoint of the transparency log within this time.',
    '60s',
    'a duration like 500ms, 5s or 1m, more than 0, at most 1h',
    upTo('1h', positiveDuration),
  ),
  TLOG_KEY: optional(
    'Signs the checkpoints of the transparency log; unset: a key derived from SECRET_KEY.',
    'an Ed25519 private key (PKCS 8, PEM)',
    ed25519Key,
    secret,
  ),

  RECEIPT_KEY: optional(
    'Signs receipts; unset: a key derived from SECRET_KEY. Public keys that were used before stay published.',
    'an Ed25519 private key (PKCS 8, PEM)',
    ed25519Key,
    secret,
  ),

  SMTP_URL: optional(
    'Mail server; unset: nothing is mailed. smtps is TLS from the start, smtp goes over to it where the server offers it, and does not send a password to another machine without.',
    'a URL like smtps://user:password@host:465 or smtp://host:25, reserved characters percent-encoded',
    smtpUrl,
    secret,
  ),
  MAIL_FROM: optional(
    'Sender of mails; required with SMTP_URL.',
    'an address, or a name with one like Steno <no-reply@example.org>',
    mailSender,
  ),
  SUPPORT_CONTACT: optional(
    'Whom the page about forgotten passwords names where nothing is mailed; unset: the operator of the service.',
    'one line of text, such as a mail address',
    text,
  ),
  REQUIRE_MAILBOX_PROOF: required(
    'Whether an account that somebody registers has no more credits than a visitor in a day until its mailbox is proved by a link; true needs SMTP_URL.',
    'false',
    'true or false',
    (value) => (value === 'true' ? true : value === 'false' ? false : null),
  ),

  PLATFORM_ORIGIN: optional(
    'Where every request meant for the video platform goes; unset: the platform itself.',
    'an https origin, or an http origin on loopback',
    secureOrigin,
  ),
  PLATFORM_PROXIES: required(
    'Proxies for requests to the platform.',
    '',
    'a comma list of http or https URLs',
    (value) => (value === '' ? [] : listOf(httpUrl)(value)),
    secret,
  ),
  PLATFORM_CONCURRENCY: whole(
    'Requests to the platform under way at once, for each egress; without effect with PLATFORM_ORIGIN.',
    8,
    [1, 1_000],
  ),
  PLATFORM_PER_SECOND: whole(
    'Requests to the platform begun in a second, for each egress; without effect with PLATFORM_ORIGIN.',
    20,
    [1, 10_000],
  ),
  EXTRACTION_DEADLINE: wait('The longest an extraction may take.', '20s'),
  TRANSCRIPT_MAX_AGE: time('How long captions are kept and served again.', '24h'),

  FOLLOW_INTERVAL: wait('How often a followed channel or playlist is looked at where its follows do not say.', '1h'),
  FOLLOW_MIN_INTERVAL: required(
    'The shortest interval that a follow may ask for.',
    '15m',
    'a duration like 500ms, 5s, 30m or 2h, more than 0, at most 1d',
    upTo('1d', positiveDuration),
    { looser: 'less' },
  ),
  FOLLOW_CAPTION_RETRIES: required(
    'When a new video without captions is tried again, counted from when it was found; after the last time it has failed.',
    '1h,6h,24h',
    'a comma list of 1 to 20 durations like 1h,6h,24h',
    listOf(positiveDuration, 20),
  ),
  FOLLOW_PAUSE_AFTER: limit('How long the platform may refuse a followed source before its follows pause.', '72h'),
  FOLLOW_RECHECK: required(
    'When the captions of a video that a follow has read are looked at again, counted from then.',
    '1h,1d,7d',
    'a comma list of 1 to 20 durations like 1h,1d,7d',
    listOf(positiveDuration, 20),
  ),

  OPENAI_API_KEY: optional(
    'Key of the AI provider; unset, and no OPENAI_BASE_URL: no model is used.',
    'one line of text',
    text,
    secret,
  ),
  OPENAI_BASE_URL: optional('Any OpenAI-compatible endpoint; unset: that of OpenAI.', 'an http or https URL', httpUrl),
  AI_MODEL: required('Model of answers.', 'gpt-4.1-mini', 'one line of text', text),
  AI_EMBEDDING_MODEL: optional('Model of embeddings; unset: none are used.', 'one line of text', text),
  AI_TRANSCRIPTION_MODEL: optional(
    'Model of speech recognition for videos without captions; unset: none is used.',
    'one line of text',
    text,
  ),
  AI_STRUCTURED: oneOf(
    'How answers are held to their schema; where an endpoint refuses it, the next one is used.',
    'json_schema',
    ['json_schema', 'json_object', 'none'],
  ),
  AI_CONTEXT_TOKENS: whole(
    'Context of the model; longer transcripts are sent in parts of three fifths of it.',
    32_000,
    [2_000, 2_000_000],
  ),
  AI_DEADLINE: required(
    'How long an operation waits for the model; then the result is made without it.',
    '25s',
    'a duration like 500ms or 5s, more than 0, at most 28s',
    upTo('28s', positiveDuration),
  ),
  AI_CONCURRENCY: whole('Requests to the AI provider at once, of each process.', 16, [1, 1_000]),
  AI_CONCURRENCY_PER_ACCOUNT: whole('The same of one account.', 4, [1, 1_000]),

  CAPTCHA_PROVIDER: oneOf('Who asks the question (captcha) at registration.', 'internal', [
    'internal',
    'turnstile',
    'hcaptcha',
  ]),
  CAPTCHA_SITE_KEY: optional('Site key of that provider.', 'one line of text', text),
  CAPTCHA_SECRET: optional('Secret of that provider.', 'one line of text', text, secret),
  CAPTCHA_VERIFY_URL: optional(
    'Where answers are verified; unset: the endpoint of the provider.',
    'an https URL, or an http URL on loopback',
    secureUrl,
  ),
  CAPTCHA_MIN_SOLVE_MS: whole(
    'An answer to the question that comes sooner is refused (milliseconds).',
    1_500,
    [0, 60_000],
    'less',
  ),
  CAPTCHA_TTL: limit('How long a question can be answered.', '10m', {
    looser: 'more',
  }),

  REGISTRATIONS_PER_IP_HOUR: allowed('Registrations from one address (IPv6: /64) in an hour.', 5),
  REGISTRATIONS_PER_IP_DAY: allowed('Registrations from one address (IPv6: /64) in a day.', 20),
  REGISTRATIONS_PER_DOMAIN_HOUR: allowed('Registrations with one mail domain in an hour.', 20),
  REGISTRATIONS_PER_FREE_MAIL_DOMAIN_HOUR: allowed(
    'Registrations with one domain of a large free-mail provider in an hour.',
    500,
  ),
  REGISTRATION_TRIES_PER_MAILBOX_DAY: allowed('Tries to register one mailbox in a day.', 3),
  REGISTRATIONS_PER_HOUR: allowed('Registrations in an hour, of everybody together.', 200),
  LOGIN_FAILURES_PER_15_MIN: allowed(
    'Failed sign-ins with one mailbox from one address (IPv6: /64), or from one browser that was signed in to it before, in 15 minutes; then both together have to wait.',
    5,
  ),
  LOGIN_FAILURES_ALL_ADDRESSES_15_MIN: allowed(
    'Failed sign-ins with one mailbox from all addresses in 15 minutes; then every browser has to wait but those that were signed in to it before.',
    50,
  ),
  LOGIN_FAILURES_PER_IP_15_MIN: allowed('Failed sign-ins from one address in 15 minutes, over all mailboxes.', 30),
  LOGIN_WAIT_FIRST: time('How long to wait at first after too many failures; each further one doubles it.', '1m', {
    looser: 'less',
  }),
  LOGIN_WAIT_MAX: time('The longest that a failure makes wait.', '1h', { looser: 'less' }),
  PASSWORD_RESETS_PER_IP_HOUR: allowed(
    'Links for forgotten passwords that one address (IPv6: /64) may ask for in an hour.',
    10,
  ),
  PASSWORD_RESETS_PER_MAILBOX_DAY: allowed(
    'Links for forgotten passwords that one address may ask for one mailbox in a day. Whoever asks, beyond so many in a day at most one mail is sent in half an hour.',
    5,
  ),
  PASSWORD_HASH_MEMORY_KIB: whole(
    'Memory of one argon2id hash; a sign-in makes a weaker hash anew.',
    19_456,
    [1_024, 1_048_576],
    'less',
  ),
  PASSWORD_HASH_PASSES: whole('Passes of one argon2id hash over its memory.', 2, [1, 20], 'less'),
  PASSWORD_HASHES_AT_ONCE: whole('Password hashes computed at once; never more than cores.', 4, [1, 64], 'more'),
  PASSWORD_HASHES_WAITING: whole(
    'Sign-ins that may wait for a hash; one more is told to come back.',
    400,
    [0, 100_000],
    'more',
  ),
  ACCOUNT_CHANGES_PER_DAY: whole(
    'Replaced passwords, and exports of personal data, of one account.',
    10,
    [1, 1_000],
    'more',
  ),
  ORIGINS_KEPT: time('How long it is kept from which addresses an account was used.', '90d', {
    looser: 'more',
  }),
  SESSION_IDLE: limit('A session ends when it was not used for so long.', '7d', {
    looser: 'more',
  }),
  SESSION_MAX: limit('A session ends so long after it began.', '30d', {
    looser: 'more',
  }),
  SESSION_RENEW_AFTER: time(
    'A used session is prolonged at most once in this time, so that not every request writes.',
    '1d',
  ),
  SESSIONS_PER_USER: whole('Sessions of one user; the oldest ends.', 10, [1, 1_000], 'more'),
  ANONYMOUS_CREDITS_PER_DAY: whole(
    'Credits that a visitor without an account, and one address, may use in a day.',
    600,
    [0, million],
    'more',
  ),
  ANONYMOUS_REQUESTS_PER_MINUTE: allowed('Requests of one visitor in a minute.', 30),
  UNAUTHENTICATED_REQUESTS_PER_MINUTE: allowed('Requests without a good key from one address in a minute.', 60),
  LISTINGS_PER_MINUTE: allowed(
    'Jobs, dry runs and lists of videos of one account, or of one address without an account, that list playlists or channels in a minute.',
    20,
  ),
  ABANDONED_CREDITS_PER_MINUTE: whole(
    'Work that one account, or one address without an account, may begin and abandon in a minute, in the credits that it would have cost.',
    20,
    [1, million],
    'more',
  ),
  ABANDONED_CREDITS_PER_DAY: whole('The same in a day.', 100, [1, million], 'more'),
  OAUTH_ACCESS_TOKEN_TTL: limit('How long an access token of an authorized application is good.', '15m', {
    looser: 'more',
  }),
  OAUTH_REGISTRATIONS_PER_IP_HOUR: allowed('Applications that one address may register in an hour.', 20),
  KEYS_PER_ACCOUNT: whole('Active keys of one account.', 25, [1, 1_000], 'more'),
  WEBHOOKS_PER_ACCOUNT: whole('Active webhooks of one account.', 10, [1, 1_000], 'more'),

  OUTBOUND_ALLOW: required(
    'Networks that are not public and that webhooks, over http too, and the documents of applications may be on all the same.',
    '',
    cidrs,
    (value) => (value === '' ? [] : listOf(cidr)(value)),
    { looser: 'set' },
  ),
  WEBHOOK_ALLOW_HTTP: permission('Whether webhooks may be http on public networks too.'),
  WEBHOOK_PORTS: required(
    'Ports that webhooks may be on.',
    '80,443,8000-9999',
    'a comma list of ports and ranges like 443,8000-9999',
    listOf(portRange),
  ),
  WEBHOOK_SCHEDULE: required(
    'Delay before each delivery attempt.',
    '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h',
    'a comma list of 1 to 20 durations like 0s,5s,5m,2h',
    listOf(duration, 20),
  ),
  WEBHOOK_CONNECT_TIMEOUT: wait('The longest that connecting to a receiver may take.', '5s'),
  WEBHOOK_TIMEOUT: wait('The longest that a whole delivery attempt may take.', '15s'),
  WEBHOOK_DISABLE_AFTER: limit('A receiver that only fails for so long is disabled.', '5d'),
  BILLING_CONFIGURED: required('Whether plans can be bought here.', 'false', 'true or false', (value) =>
    value === 'true' ? true : value === 'false' ? false : null,
  ),

  LOG_LEVEL: oneOf('The lowest level that is logged.', 'info', ['debug', 'info', 'warn', 'error']),
  METRICS_TOKEN: optional(
    'Who sends it as bearer may read /metrics from other machines; unset: this machine alone.',
    'at least 16 visible characters',
    (value) => (/^[\x21-\x7e]{16,400}$/.test(value) ? value : null),
    secret,
  ),
  METRICS_PORT: optional(
    'Port on which a worker, which listens nowhere else, serves /metrics; 0 takes a free one; unset: nowhere.',
    'a whole number from 0 to 65535',
    (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : null),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'OpenTelemetry collector that traces are sent to, by OTLP over HTTP; unset: there are no traces.',
    'an http or https URL',
    httpUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    'Headers that are sent with traces.',
    'a comma list of name=value',
    listOf(headerPair),
    secret,
  ),
  OTEL_SERVICE_NAME: required('The name in traces.', 'steno', 'one line of text', text),
  OTEL_TRACES_SAMPLER_ARG: required(
    'Share of the requests that are traced, where their caller has not decided.',
    '1',
    'a number from 0 to 1',
    (value) => (/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(value) ? Number(value) : null),
  ),
} as const;

/** What the variables hold once they are read. */
export type Values = {
  readonly [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['schema']['parse']>;
};
