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

/** Tells the owner of an account something. It is tried again with growing pauses while the mail server does not take it. */
export const sendMail = ({ sendMail }: Pick<WorkCommands, 'sendMail'>): Task =>
  task(Payload, sendMail);
