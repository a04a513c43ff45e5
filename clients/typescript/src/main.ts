export { type FollowedResult, type JobEvent, Steno, type StenoOptions } from './client.js';
export { ConnectionError, ReceiptVerificationError, StenoError, WebhookVerificationError } from './errors.js';
export * from './generated/errors.js';
export type { operations, paths } from './generated/paths.js';
export type * as schemas from './generated/schemas.js';
export { version } from './generated/version.js';
export type { RequestOptions } from './request.js';
export { type Receipt, verifyReceipt } from './verification/receipt.js';
export { type Delivery, verifyWebhook, type WebhookHeaders } from './verification/webhook.js';
