import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Payload = z.object({ accountId: z.string() });

/** Ends what still runs or is kept for an account that was erased. */
export const endAccountWork = ({ endAccountWork }: Pick<WorkCommands, 'endAccountWork'>): Task =>
  task(Payload, endAccountWork);
