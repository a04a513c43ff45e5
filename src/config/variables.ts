import {
  duration,
  durations,
  ed25519Key,
  exampleVideos,
  headers,
  hostName,
  hostNames,
  httpUrl,
  httpUrls,
  kurrentUrl,
  logOrigin,
  mailSender,
  networks,
  oneOf,
  optional,
  portRanges,
  positiveDuration,
  positiveDurations,
  postgresUrl,
  redisUrl,
  required,
  secret,
  secureOrigin,
  secureUrl,
  share,
  smtpUrl,
  text,
  token,
  trueOrFalse,
  type Variable,
  whole,
  wholeWithin,
} from './kinds.ts';

const million = 1_000_000;
/** How often something is allowed; more is looser. */
const allowed = (name: string, about: string, fallback: number) => whole(name, about, fallback, [1, million], 'more');
/** A time that is never 0. */
const limit = (name: string, about: string, fallback: string, looser?: 'more') =>
  required(name, about, fallback, positiveDuration(), looser);
/** A time that is waited for. */
const wait = (name: string, about: string, fallback: string, looser?: 'less') =>
  required(name, about, fallback, positiveDuration('1d'), looser);
const choice = (name: string, about: string, looser?: 'set') => required(name, about, 'false', trueOrFalse, looser);

/**
 * What an operator decides: for each member of the settings, the environment variable that sets it. The order is that of
 * `.env.example`. All durations are milliseconds; what may be unset is null then.
 */
export const settings = {
  port: whole('PORT', 'Port to listen on; 0 takes a free one.', 3000, [0, 65_535]),
  host: required('HOST', 'Address to listen on.', '127.0.0.1', hostName),
  role: required('ROLE', 'What this process does.', 'all', oneOf('all', 'api', 'worker')),
  dataDir: required(
    'DATA_DIR',
    'Directory of the embedded Postgres and of generated secrets; a relative path starts at the working directory.',
    '.data',
    text('a path'),
  ),
  publicUrl: optional('PUBLIC_URL', 'Base URL of links to the service; unset: built from HOST and PORT.', httpUrl),
  examples: required(
    'EXAMPLE_VIDEOS',
    'Example videos on the start page.',
    'jNQXAC9IVRw=Me at the zoo;aqz-KE-bpKQ=Big Buck Bunny',
    exampleVideos,
  ),
  trustedProxies: required(
    'TRUSTED_PROXIES',
    'Networks of the load balancers whose X-Forwarded-For is trusted.',
    '',
    networks,
  ),
  mcpAllowedHosts: required(
    'MCP_ALLOWED_HOSTS',
    'Host names that /mcp accepts, in addition to that of PUBLIC_URL and localhost.',
    '',
    hostNames,
  ),
  shutdownDrainMs: required(
    'SHUTDOWN_DRAIN',
    'How long readiness returns 503 at shutdown before connections close; set it to the check interval of the load balancer.',
    '500ms',
    duration('20s'),
  ),
  http: {
    maxConnections: whole(
      'HTTP_MAX_CONNECTIONS',
      'Maximum number of open connections; further ones are closed without a response.',
      10_000,
      [10, 1_000_000],
    ),
    maxInFlight: whole(
      'HTTP_MAX_IN_FLIGHT',
      'Maximum number of requests in flight; further ones are answered with 503.',
      2_000,
      [1, 100_000],
    ),
    headersTimeoutMs: wait('HTTP_HEADERS_TIMEOUT', 'Time limit for receiving the headers of a request.', '10s'),
    requestTimeoutMs: wait('HTTP_REQUEST_TIMEOUT', 'Time limit for receiving a whole request.', '30s'),
  },

  database: {
    url: optional('DATABASE_URL', 'Postgres 15 to 18; unset: the embedded one in DATA_DIR.', secret(postgresUrl)),
    directUrl: optional(
      'DATABASE_DIRECT_URL',
      'Direct connection for LISTEN, the worker and migrations; required if DATABASE_URL points to a transaction pooler.',
      secret(postgresUrl),
    ),
    readUrl: optional('DATABASE_READ_URL', 'Read replica for queries.', secret(postgresUrl)),
    idleTransactionAlarmMs: limit(
      'IDLE_TRANSACTION_ALARM',
      'How long a transaction of any client may be idle in the database before an alert is raised.',
      '60s',
    ),
    poolSize: optional(
      'DATABASE_POOL_SIZE',
      'Connection pool size of each process, which uses eight more connections for queries, notifications and locks; unset: 20, or 4 for a process that is only a worker.',
      wholeWithin([1, 500]),
    ),
  },
  worker: {
    poolSize: whole(
      'WORKER_POOL_SIZE',
      'Additional connections of a worker for its queue; values below 8 count as 8.',
      8,
      [2, 500],
    ),
    concurrency: whole('WORKER_CONCURRENCY', 'Items that a worker reads concurrently, for each egress.', 8, [1, 100]),
  },
  listingTimeoutMs: required(
    'LISTING_TIMEOUT',
    'How long a request that creates a job from a playlist or channel waits for the list of videos; after that, the worker lists them.',
    '20s',
    duration('1d'),
  ),
  reservationTimeoutMs: limit(
    'RESERVATION_TIMEOUT',
    'How long credits stay reserved for a job that does not start; after that, they are released.',
    '60s',
  ),
  redisUrl: optional(
    'REDIS_URL',
    'Redis for rate limits shared by all processes; unset: each process counts alone, and a second API process refuses to start.',
    secret(redisUrl),
  ),
  eventStoreUrl: optional(
    'EVENTSTORE_URL',
    'Connection string, with credentials and TLS options, of a KurrentDB to which a worker relays every event.',
    secret(kurrentUrl),
  ),
  secretKey: optional(
    'SECRET_KEY',
    'Key for signatures and encryption; generated once in DATA_DIR with the embedded Postgres, otherwise required.',
    secret(text('32 or more random characters (generate them with: openssl rand -base64 48)')),
  ),
  previousSecretKey: optional(
    'SECRET_KEY_PREVIOUS',
    'The key that SECRET_KEY replaces: existing data stay readable while a worker re-encrypts them. steno doctor reports when it can be removed.',
    secret(text('the previous SECRET_KEY')),
  ),

  tlog: {
    origin: optional(
      'TLOG_ORIGIN',
      'Name of the transparency log of the ledgers, fixed at the first start; unset: the host of PUBLIC_URL with /tlog.',
      logOrigin,
    ),
    intervalMs: required(
      'TLOG_INTERVAL',
      'Maximum time until a ledger entry is in a signed checkpoint of the transparency log.',
      '60s',
      positiveDuration('1h'),
    ),
    key: optional(
      'TLOG_KEY',
      'Key that signs the checkpoints of the transparency log; unset: one derived from SECRET_KEY.',
      secret(ed25519Key),
    ),
  },
  receipts: {
    key: optional(
      'RECEIPT_KEY',
      'Key that signs receipts; unset: one derived from SECRET_KEY. Earlier public keys stay published.',
      secret(ed25519Key),
    ),
  },
  mail: {
    smtpUrl: optional(
      'SMTP_URL',
      'Mail server; unset: no mail is sent. smtps uses TLS from the start; smtp uses STARTTLS if the server offers it, and never sends a password to another machine without TLS.',
      secret(smtpUrl),
    ),
    from: optional('MAIL_FROM', 'Sender of mails; required with SMTP_URL.', mailSender),
    supportContact: optional(
      'SUPPORT_CONTACT',
      'Contact that the page for forgotten passwords names if no mail is sent; unset: the operator of the service.',
      text('one line of text, such as a mail address'),
    ),
    requiresMailboxProof: choice(
      'REQUIRE_MAILBOX_PROOF',
      'Whether a newly registered account has only the daily credits of a visitor until its owner opens a link sent to the mailbox; true requires SMTP_URL.',
    ),
  },

  platform: {
    origin: optional(
      'PLATFORM_ORIGIN',
      'Origin to which all requests to the video platform are sent; unset: the platform itself.',
      secureOrigin,
    ),
    proxies: required('PLATFORM_PROXIES', 'Proxies for requests to the platform.', '', secret(httpUrls)),
    concurrency: whole(
      'PLATFORM_CONCURRENCY',
      'Concurrent requests to the platform, for each egress; ignored with PLATFORM_ORIGIN.',
      8,
      [1, 1_000],
    ),
    perSecond: whole(
      'PLATFORM_PER_SECOND',
      'Requests to the platform per second, for each egress; ignored with PLATFORM_ORIGIN.',
      20,
      [1, 10_000],
    ),
    deadlineMs: wait('EXTRACTION_DEADLINE', 'Time limit of an extraction.', '20s'),
    transcriptMaxAgeMs: required('TRANSCRIPT_MAX_AGE', 'How long captions are cached.', '24h', duration()),
  },
  follows: {
    intervalMs: wait('FOLLOW_INTERVAL', 'Default interval at which a followed channel or playlist is checked.', '1h'),
    minIntervalMs: wait('FOLLOW_MIN_INTERVAL', 'Shortest interval that a follow may have.', '15m', 'less'),
    captionRetriesMs: required(
      'FOLLOW_CAPTION_RETRIES',
      'When a new video without captions is retried, counted from its discovery or, if it was live, from its end; after the last retry it fails.',
      '1h,6h,24h',
      positiveDurations('1h,6h,24h'),
    ),
    pauseAfterMs: limit(
      'FOLLOW_PAUSE_AFTER',
      'How long the platform may refuse a followed source before its follows are paused.',
      '72h',
    ),
    recheckMs: required(
      'FOLLOW_RECHECK',
      'When the captions of a video that a follow has transcribed are checked for changes, counted from its transcription.',
      '1h,1d,7d',
      positiveDurations('1h,1d,7d'),
    ),
  },
  ai: {
    apiKey: optional(
      'OPENAI_API_KEY',
      'API key of the AI provider; if OPENAI_BASE_URL is unset too, no model is used.',
      secret(text()),
    ),
    baseUrl: optional('OPENAI_BASE_URL', 'OpenAI-compatible endpoint; unset: that of OpenAI.', httpUrl),
    model: required('AI_MODEL', 'Model for text generation.', 'gpt-4.1-mini', text()),
    embeddingModel: optional('AI_EMBEDDING_MODEL', 'Model for embeddings; unset: no embeddings.', text()),
    transcriptionModel: optional(
      'AI_TRANSCRIPTION_MODEL',
      'Model for speech recognition; unset: no speech recognition.',
      text(),
    ),
    structured: required(
      'AI_STRUCTURED',
      'How model output is constrained to its schema; if an endpoint rejects a mode, the next one is used.',
      'json_schema',
      oneOf('json_schema', 'json_object', 'none'),
    ),
    contextTokens: whole(
      'AI_CONTEXT_TOKENS',
      'Context size of the model in tokens; transcripts longer than three fifths of it are sent in parts.',
      32_000,
      [2_000, 2_000_000],
    ),
    deadlineMs: required(
      'AI_DEADLINE',
      'How long an operation waits for the model; after that, the result is produced without it.',
      '25s',
      positiveDuration('28s'),
    ),
    concurrency: whole('AI_CONCURRENCY', 'Concurrent requests to the AI provider, for each process.', 16, [1, 1_000]),
    concurrencyPerAccount: whole('AI_CONCURRENCY_PER_ACCOUNT', 'The same, for each account.', 4, [1, 1_000]),
  },

  captcha: {
    provider: required(
      'CAPTCHA_PROVIDER',
      'Captcha provider at registration.',
      'internal',
      oneOf('internal', 'turnstile', 'hcaptcha'),
    ),
    siteKey: optional('CAPTCHA_SITE_KEY', 'Site key of the captcha provider.', text()),
    secret: optional('CAPTCHA_SECRET', 'Secret of the captcha provider.', secret(text())),
    verifyUrl: optional(
      'CAPTCHA_VERIFY_URL',
      'URL at which captcha answers are verified; unset: that of the provider.',
      secureUrl,
    ),
    minSolveMs: whole(
      'CAPTCHA_MIN_SOLVE_MS',
      'Captcha answers given sooner than this are refused (milliseconds).',
      1_500,
      [0, 60_000],
      'less',
    ),
    timeToLiveMs: limit('CAPTCHA_TTL', 'How long a captcha stays valid.', '10m', 'more'),
  },
  accounts: {
    registration: {
      perIpHour: allowed('REGISTRATIONS_PER_IP_HOUR', 'Registrations per hour from one address (IPv6: /64).', 5),
      perIpDay: allowed('REGISTRATIONS_PER_IP_DAY', 'Registrations per day from one address (IPv6: /64).', 20),
      perDomainHour: allowed('REGISTRATIONS_PER_DOMAIN_HOUR', 'Registrations per hour for one mail domain.', 20),
      perFreeMailDomainHour: allowed(
        'REGISTRATIONS_PER_FREE_MAIL_DOMAIN_HOUR',
        'Registrations per hour for one domain of a large free mail provider.',
        500,
      ),
      perMailboxDay: allowed('REGISTRATION_TRIES_PER_MAILBOX_DAY', 'Attempts per day to register one mailbox.', 3),
      perHour: allowed('REGISTRATIONS_PER_HOUR', 'Registrations per hour in total.', 200),
    },
    signIn: {
      perMailboxAndNetwork: allowed(
        'LOGIN_FAILURES_PER_15_MIN',
        'Failed sign-ins within 15 minutes for one mailbox from one address (IPv6: /64), or from one browser that has been signed in to it before; after that, sign-in from there must wait.',
        5,
      ),
      perMailbox: allowed(
        'LOGIN_FAILURES_ALL_ADDRESSES_15_MIN',
        'Failed sign-ins within 15 minutes for one mailbox from all addresses; after that, all browsers must wait except those that have been signed in to it before.',
        50,
      ),
      perNetwork: allowed(
        'LOGIN_FAILURES_PER_IP_15_MIN',
        'Failed sign-ins within 15 minutes from one address (IPv6: /64), for all mailboxes.',
        30,
      ),
      firstWaitMs: required(
        'LOGIN_WAIT_FIRST',
        'Initial wait after too many failures; each further failure doubles it.',
        '1m',
        duration(),
        'less',
      ),
      longestWaitMs: required('LOGIN_WAIT_MAX', 'Maximum wait after a failed sign-in.', '1h', duration(), 'less'),
    },
    resets: {
      perIpHour: allowed(
        'PASSWORD_RESETS_PER_IP_HOUR',
        'Password reset links that one address (IPv6: /64) may request per hour.',
        10,
      ),
      perMailboxDay: allowed(
        'PASSWORD_RESETS_PER_MAILBOX_DAY',
        'Password reset links that one address may request per day for one mailbox. If a mailbox gets more requests in a day, from any address, its mails are sent at growing intervals of up to half an hour.',
        5,
      ),
    },
    changesPerDay: whole(
      'ACCOUNT_CHANGES_PER_DAY',
      'Password changes, exports of personal data and requests for a verification link, each per day and account.',
      10,
      [1, 1_000],
      'more',
    ),
    originsKeptMs: required(
      'ORIGINS_KEPT',
      'How long the IP addresses from which an account was used are stored.',
      '90d',
      duration(),
      'more',
    ),
    sessions: {
      idleMs: limit('SESSION_IDLE', 'A session ends after this time without use.', '7d', 'more'),
      absoluteMs: limit(
        'SESSION_MAX',
        'A session ends this long after it started, even if it is in use.',
        '30d',
        'more',
      ),
      renewAfterMs: required(
        'SESSION_RENEW_AFTER',
        'A session in use is extended at most once in this time, to avoid a write for each request.',
        '1d',
        duration(),
      ),
      maxPerAccount: whole('SESSIONS_PER_USER', 'Sessions per user; one more ends the oldest.', 10, [1, 1_000], 'more'),
    },
    visitorCreditsPerDay: whole(
      'ANONYMOUS_CREDITS_PER_DAY',
      'Credits per day for a visitor without an account, and for all visitors from one address together.',
      600,
      [0, million],
      'more',
    ),
  },
  hashing: {
    memoryKiB: whole(
      'PASSWORD_HASH_MEMORY_KIB',
      'Memory of one argon2id hash in KiB; a weaker hash is replaced at sign-in.',
      19_456,
      [1_024, 1_048_576],
      'less',
    ),
    passes: whole('PASSWORD_HASH_PASSES', 'Passes (iterations) of one argon2id hash.', 2, [1, 20], 'less'),
    maxAtOnce: whole(
      'PASSWORD_HASHES_AT_ONCE',
      'Concurrent password hashes, limited by the number of cores.',
      4,
      [1, 64],
      'more',
    ),
    maxWaiting: whole(
      'PASSWORD_HASHES_WAITING',
      'Sign-ins that may wait for a hash; further ones are answered with 503.',
      400,
      [0, 100_000],
      'more',
    ),
  },
  limits: {
    anonymousRequestsPerMinute: allowed('ANONYMOUS_REQUESTS_PER_MINUTE', 'Requests per minute from one visitor.', 30),
    unauthenticatedRequestsPerMinute: allowed(
      'UNAUTHENTICATED_REQUESTS_PER_MINUTE',
      'Requests per minute without a valid key from one address.',
      60,
    ),
    listingsPerMinute: allowed(
      'LISTINGS_PER_MINUTE',
      'Requests per minute that list a playlist or channel (jobs, dry runs and lists of videos), from one account, or from one address without an account.',
      20,
    ),
    abandonedWork: {
      creditsPerMinute: whole(
        'ABANDONED_CREDITS_PER_MINUTE',
        'Work that one account, or one address without an account, may start and abandon per minute, in the credits it would have cost.',
        20,
        [1, million],
        'more',
      ),
      creditsPerDay: whole('ABANDONED_CREDITS_PER_DAY', 'The same, per day.', 100, [1, million], 'more'),
    },
    keysPerAccount: whole('KEYS_PER_ACCOUNT', 'Active keys per account.', 25, [1, 1_000], 'more'),
    webhooksPerAccount: whole('WEBHOOKS_PER_ACCOUNT', 'Active webhooks per account.', 10, [1, 1_000], 'more'),
  },
  oauth: {
    accessTokenTtlMs: limit(
      'OAUTH_ACCESS_TOKEN_TTL',
      'Lifetime of an access token of an authorized application.',
      '15m',
      'more',
    ),
    registrationsPerIpHour: allowed(
      'OAUTH_REGISTRATIONS_PER_IP_HOUR',
      'Applications that one address may register per hour.',
      20,
    ),
  },

  webhooks: {
    allow: required(
      'OUTBOUND_ALLOW',
      'Non-public networks to which webhooks (also over http) and requests for client metadata documents may go.',
      '',
      networks,
      'set',
    ),
    isHttpAllowed: choice('WEBHOOK_ALLOW_HTTP', 'Whether webhooks may use http on public networks as well.', 'set'),
    ports: required('WEBHOOK_PORTS', 'Ports that webhooks may use.', '80,443,8000-9999', portRanges),
    scheduleMs: required(
      'WEBHOOK_SCHEDULE',
      'Delay before each delivery attempt.',
      '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h',
      durations('0s,5s,5m,2h'),
    ),
    connectTimeoutMs: wait('WEBHOOK_CONNECT_TIMEOUT', 'Time limit for connecting to a receiver.', '5s'),
    timeoutMs: wait('WEBHOOK_TIMEOUT', 'Time limit of a whole delivery attempt.', '15s'),
    disableAfterMs: limit(
      'WEBHOOK_DISABLE_AFTER',
      'A webhook that has failed for this long without a success is disabled.',
      '5d',
    ),
  },
  plansFile: optional(
    'PLANS_FILE',
    'File with names, prices and features of the plans, in English and other languages (see operations.md); unset: the built-in ones.',
    text('the path of a JSON file'),
  ),
  isBillingConfigured: choice('BILLING_CONFIGURED', 'Whether plans can be bought here.'),

  logLevel: required('LOG_LEVEL', 'Minimum level of logged messages.', 'info', oneOf('debug', 'info', 'warn', 'error')),
  serviceName: required('OTEL_SERVICE_NAME', 'Name of the service in the log and in traces.', 'steno', text()),
  metrics: {
    token: optional(
      'METRICS_TOKEN',
      'Bearer token with which other machines may read /metrics; unset: only this machine may.',
      secret(token),
    ),
    port: optional(
      'METRICS_PORT',
      'Port on which a worker serves /metrics, the only port that it opens; 0 takes a free one; unset: none.',
      wholeWithin([0, 65_535]),
    ),
  },
  tracing: {
    endpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OpenTelemetry collector to which traces are sent, as OTLP over HTTP; unset: no traces.',
      httpUrl,
    ),
    headers: optional('OTEL_EXPORTER_OTLP_HEADERS', 'Headers sent with traces.', secret(headers)),
    sampledShare: required(
      'OTEL_TRACES_SAMPLER_ARG',
      'Fraction of requests that are traced; the sampling decision of a caller takes precedence.',
      '1',
      share,
    ),
  },
} as const;

type Group = { readonly [member: string]: Variable<unknown> | Group };

/** What variables hold once they are read. */
export type Values<Part> =
  Part extends Variable<infer Value> ? Value : { readonly [Member in keyof Part]: Values<Part[Member]> };

const isVariable = (part: Variable<unknown> | Group): part is Variable<unknown> => typeof part['parse'] === 'function';

/** Reads each variable of a group. */
export const readGroup = <Of extends Group>(group: Of, read: (variable: Variable<unknown>) => unknown): Values<Of> =>
  Object.fromEntries(
    Object.entries(group).map(([member, part]) => [member, isVariable(part) ? read(part) : readGroup(part, read)]),
  ) as Values<Of>;

const variablesOf = (group: Group): Variable<unknown>[] =>
  Object.values(group).flatMap((part) => (isVariable(part) ? [part] : variablesOf(part)));

/** Every environment variable of the program, by its name. */
export const variables: Readonly<Record<string, Variable<unknown>>> = Object.fromEntries(
  variablesOf(settings).map((variable) => [variable.name, variable]),
);
