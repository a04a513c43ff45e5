import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Payload = z.object({ accountId: z.string() });

/** Cancels jobs and deletes stored data that an erased account still has. */
export const endAccountWork = ({ endAccountWork }: Pick<WorkCommands, 'endAccountWork'>): Task =>
  task(Payload, endAccountWork);
