/** A mail in plain text to one address. */
export type Mail = {
  /** The same for the same mail that is sent again: receivers show it once. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};

/**
 * The mail server. `refused`: it will never take this mail, so sending it again is no use. Throws where a later attempt
 * may succeed; no error names an address.
 */
export type Mailer = { send(mail: Mail, options: { readonly signal: AbortSignal }): Promise<'sent' | 'refused'> };
