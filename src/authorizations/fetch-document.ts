/** A document of another service, as it was answered. */
export type FetchedDocument = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * Fetches a public https document of at most 5 KiB. Throws for one that is larger, on an address that is not public, or
 * not there in time. The port of `adapters/webhooks/document-http.ts`.
 */
export type FetchDocument = (url: string) => Promise<FetchedDocument>;
