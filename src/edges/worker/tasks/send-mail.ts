import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const common = { accountId: z.string(), mailId: z.string() };

const Payload = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('password_reset'), requestedAt: z.string() }),
  z.object({ ...common, kind: z.literal('mailbox_proof') }),
  z.object({ ...common, kind: z.literal('new_place'), requestId: z.string() }),
  z.object({ ...common, kind: z.literal('new_key'), keyId: z.string() }),
  z.object({ ...common, kind: z.literal('low_credits') }),
]);

/** Sends a mail to the owner of an account, with retries and exponential backoff while the mail server fails. */
export const sendMail = ({ sendMail }: Pick<WorkCommands, 'sendMail'>): Task =>
  task(Payload, sendMail);
