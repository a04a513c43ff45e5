import { z } from 'zod';

/** Redirects of one application, at most. */
const maxRedirects = 20;

/**
 * What is taken over of the description of an application: nothing that makes this service ask another one, and no
 * secret. Lists are bounded; what its library checks is left to it.
 */
const metadata = z.object({
  client_id: z.string().optional(),
  client_name: z.string().max(200).optional(),
  client_uri: z.string().max(2_000).optional(),
  redirect_uris: z.array(z.string().max(2_000)).max(maxRedirects).optional(),
  grant_types: z.array(z.string().max(100)).max(10).optional(),
  response_types: z.array(z.string().max(100)).max(10).optional(),
  token_endpoint_auth_method: z.string().max(100).optional(),
});

const grantTypes = ['authorization_code', 'refresh_token'];

/** What an application says of itself, as the authorization server keeps it; null: it is not the description of one. */
export const clientMetadataOf = (given: unknown): Readonly<Record<string, unknown>> | null => {
  const { data } = metadata.safeParse(given);
  if (data === undefined) return null;
  const { grant_types: wanted = grantTypes, ...rest } = data;
  return {
    ...rest,
    grant_types: grantTypes.filter((type) => wanted.includes(type)),
    response_types: ['code'],
    // Its redirects may be on this machine, at any port (RFC 8252).
    application_type: 'native',
  };
};

/** How a page shows the name of an application: one line, without control characters. */
export const shownClientName = (name: string | undefined, clientId: string): string => {
  const shown = (name ?? '')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 100);
  return shown === '' ? clientId.slice(0, 100) : shown;
};
