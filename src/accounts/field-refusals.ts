import { invalidRequest, type Refusal } from '../kernel/refusal.ts';
import { type Mailbox, parseMailbox } from './email-address.ts';
import { type KnownWords, passwordProblem } from './password/password-policy.ts';

/** A refusal of one field, without its value. */
export const invalidField = (path: string, code: string, message: string): Refusal =>
  invalidRequest(`${path} is not valid: ${message}`, { path, code, message });

/** Parses a mail address; throws INVALID_REQUEST. */
export const requireMailbox = (email: string): Mailbox => {
  const mailbox = parseMailbox(email);
  if (mailbox === null) throw invalidField('email', 'invalid_email', 'This is not a mail address.');
  return mailbox;
};

/** Checks a new password against the policy. `field`: its name in the request. */
export const requireGoodPassword = (password: string, known: KnownWords, field: 'password' | 'new_password'): void => {
  const problem = passwordProblem(password, known);
  if (problem !== null) throw invalidField(field, problem.code, problem.message);
};
