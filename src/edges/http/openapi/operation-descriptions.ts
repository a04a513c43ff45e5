/** What an operation does beyond its summary, by its `operationId`, for those whose endpoint does not say it. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  getRawTranscript:
    'Costs 1 credit, as a transcript. The text is not cleaned, and every caption track of the video is named.',
  listLanguages:
    'Free of charge. A video without captions answers an empty list, not an error. Each track says whether it is manual or automatic.',
  getAiStatus:
    'Free of charge. Without a model the extractive fallbacks answer, for 1 credit each.',
  listJobs: 'Each with its first 100 items.',
  getJob: 'With its first 100 items; results are read under `/results`.',
  cancelJob:
    'Open items end; those that are complete stay, and stay charged. The rest of the reserved credits comes back.',
  retryJob:
    'The cost of the failed items is set aside again. A job without failed items stays as it is.',
  createPlaylistJob:
    'Lists the playlist and reads each of its videos in a job. Videos that cannot be read become failed items.',
  createChannelJob:
    'Lists the channel and reads each of its videos in a job. Videos that cannot be read become failed items.',
  listWebhooks: 'Active and disabled ones, without their secrets.',
  createWebhook:
    'The address must be on a public network. Deliveries are signed as the Standard Webhooks specification says.',
  getWebhook: 'Without its secret.',
  updateWebhook:
    'One that is made active again after it was disabled gets what happens from then on; `recover` sends what it missed.',
  deleteWebhook: 'Deliveries that wait for it are not sent.',
  getSigningSecret:
    'Deliveries to a URL that is also a registered webhook are signed with the secret of that webhook.',
  rotateSigningSecret: 'Both secrets sign for 24 hours, so that receivers can change over.',
  rotateWebhookSecret: 'Both secrets sign for 24 hours, so that receivers can change over.',
  testWebhook:
    'The event tells of a job that never was. The answer does not wait for the delivery.',
  listDeliveries: 'With every attempt, its status and how long it took.',
  replayDelivery:
    'The receiver sees the same `webhook-id`, and so knows a repeat. The webhook must be active.',
  replayJobDelivery:
    'The receiver sees the same `webhook-id`, and so knows a repeat. A registered webhook must be active.',
  recoverDeliveries: 'The oldest first. Those that were sent again since are left out.',
  getUsage:
    'Failures count as requests and cost nothing. Failed items of jobs count under `job_item`.',
  listLedger:
    'Every charge, refund, grant and free use, with the hash chain that proves that nothing was changed.',
  getLedgerEntry: '`X-Credits-Event` of an answer is the id of its entry.',
  login: 'Sets the cookie `session`. An unknown address and a wrong password get the same answer.',
  getMe: 'Answers 200 for everybody: `authenticated` says whether somebody is signed in.',
  getAccount: 'The user, the plan and the credits of the present period.',
  listAccountEvents:
    'Sign-ins, keys, plans and whatever else was done to the account, and by whom.',
  exportPersonalData: 'Everything personal that is kept of the owner, in one document.',
  listSessions: 'Where the owner is signed in.',
  revokeSession: 'Whoever holds it has to sign in again.',
  listKeys: 'Those that are over too. A secret is never shown again.',
  getAccountUsage: 'Each figure links to the ledger entries behind it.',
  listPlans: 'From the smallest to the largest.',
  listAccountLedger: 'Every charge, refund, grant and free use, as under `/v1/ledger`.',
  getAccountLedgerEntry: 'With the hashes that prove it.',
  getHealth: 'Says that the process answers. It asks neither the database nor the platform.',
  getReadiness: '503 while the service cannot serve requests: load balancers leave it out then.',
  probeEgress: 'The newest probe of the platform.',
  getStatus: 'The state of the service for people and programs.',
  getStatusJson: 'The same as `/api/status`.',
  getChangelog: 'What changed in the API, the newest first.',
  getOpenApi: 'This document.',
  getReference: 'This document as a page for people.',
};

/** What the groups of operations are about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Transcripts: 'Captions of single videos and of up to fifty at once.',
  'AI operations': 'Answers, summaries and more, made of a transcript.',
  Jobs: 'Many videos, playlists and channels, read in the background.',
  'Playlists and channels': 'Their videos, and jobs over them.',
  Webhooks: 'Receivers that are told when jobs end.',
  Usage: 'What was used, and the ledger that proves it.',
  Account: 'The account of a signed-in user.',
  Keys: 'API keys of a signed-in user.',
  Meta: 'Health, status and documents.',
};
