import { invalidRequest, type Refusal } from '../kernel/refusal.ts';
import { type Mailbox, parseMailbox } from './mailbox.ts';
import { type KnownWords, passwordProblem } from './password-policy.ts';

/** A refusal of one field, without its value. */
export const invalidField = (path: string, code: string, message: string): Refusal =>
  invalidRequest(`${path} is not valid: ${message}`, { path, code, message });

/** Reads a mail address as it was typed; refuses what is none. */
export const requireMailbox = (email: string): Mailbox => {
  const mailbox = parseMailbox(email);
  if (mailbox === null) throw invalidField('email', 'invalid_email', 'This is no mail address.');
  return mailbox;
};

/** Refuses a new password that the policy does not take. `field`: what the request calls it. */
export const requireGoodPassword = (
  password: string,
  known: KnownWords,
  field: 'password' | 'new_password',
): void => {
  const problem = passwordProblem(password, known);
  if (problem !== null) throw invalidField(field, problem.code, problem.message);
};
