import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Payload = z.object({ jobId: z.string() });

/** Lists the playlist or channel of a job that could not wait for it. */
export const resolveListing = ({
  resolveListing,
  failListing,
}: Pick<WorkCommands, 'resolveListing' | 'failListing'>): Task =>
  task(Payload, resolveListing, failListing);
