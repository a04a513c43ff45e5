import type { OAuthScope } from '../../../contract/oauth.ts';
import type { HttpResponse } from './response.ts';
import type { RequestInfo } from './route.ts';

/** An application that waits for the consent of a user. What it says of itself is not verified. */
export type ConsentRequest = {
  readonly clientId: string;
  readonly clientName: string;
  /** Where the browser is sent with the answer: registered for this application. */
  readonly redirectUri: string;
  /** What it asks for, at least one. */
  readonly scopes: readonly OAuthScope[];
};

/** What the user agreed to; null: nothing. `expiresAt`: RFC 3339 in UTC. */
export type Consent = {
  readonly accountId: string;
  readonly authorizationId: string;
  readonly scopes: readonly OAuthScope[];
  readonly expiresAt: string;
};

/** The authorization server of this service (OAuth 2.1), as the routes see it. */
export type AuthorizationServer = {
  /** The answer of one of its endpoints. `form`: the body, where it has been read. */
  answer(
    requestInfo: RequestInfo,
    body: { readonly contentType: string; readonly text: string } | null,
  ): Promise<HttpResponse>;
  /** The request for consent that the browser was sent here with. Throws NOT_FOUND when there is none, or no more. */
  consentRequest(requestInfo: RequestInfo): Promise<ConsentRequest>;
  /**
   * Begins the decision on a request for consent, once: null. For a form that is sent twice: the path at which the browser
   * goes on, when the first decision is made.
   */
  claim(requestInfo: RequestInfo): Promise<string | null>;
  /** Takes the decision of the user; resolves to the path at which the browser goes on. */
  decide(requestInfo: RequestInfo, consent: Consent | null): Promise<string>;
  /** The resource that access tokens are for. */
  resource(): Promise<string>;
  /** Authorization-server metadata (RFC 8414). */
  serverMetadata(): Promise<object>;
  /** Protected-resource metadata (RFC 9728). */
  resourceMetadata(): Promise<object>;
  /** What `WWW-Authenticate` says (RFC 6750, RFC 9728). `scope`: those that are needed. */
  challenge(error: 'invalid_token' | 'insufficient_scope' | null, scope: readonly string[]): Promise<string>;
};
