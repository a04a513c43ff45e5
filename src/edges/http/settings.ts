import type { Plan } from '../../queries.ts';
import type { AddressLimits } from './middleware/rate-limit.ts';

export type HttpSettings = {
  readonly service: { readonly name: string; readonly brand: string; readonly version: string };
  /** Absolute base of links; https makes every answer say so. */
  readonly publicUrl: string;
  /** Host names, besides that of `publicUrl`, under which `/mcp` may be reached. */
  readonly mcpAllowedHosts: readonly string[];
  /** CIDRs whose `X-Forwarded-For` and `-Proto` are believed. */
  readonly trustedProxies: readonly string[];
  /** Requests per minute and address: without a key, for public documents, for accounts, for visitors. */
  readonly limitsPerMinute: AddressLimits;
  /** The limit of concurrent requests; further ones get 503. */
  readonly maxInFlight: number;
  readonly maxConnections: number;
  /** Milliseconds after which the work for a request is aborted. */
  readonly timeLimitMs: number;
  /** Milliseconds until the headers, and until the whole request, must have arrived. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly plans: readonly Pick<Plan, 'key' | 'label' | 'includedCredits' | 'limitPerMinute'>[];
  /** Of one visitor, and of one address. */
  readonly anonymousCreditsPerDay: number;
  /** What is mailed to owners, and whom they ask where nothing is; null: the operator of the service. */
  readonly mail: { readonly isSent: boolean; readonly supportContact: string | null };
  /** Videos that the start page offers to try. */
  readonly examples: readonly { readonly videoId: string; readonly title: string }[];
  /** Milliseconds from one look at the video platform to the next. */
  readonly probeEveryMs: number;
  /** Applications that one address may register in an hour. */
  readonly oauthRegistrationsPerHour: number;
};
