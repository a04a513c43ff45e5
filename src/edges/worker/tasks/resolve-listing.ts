import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Payload = z.object({ jobId: z.string() });

/** Lists the playlist or channel of a job whose request did not wait for the listing. */
export const resolveListing = ({
  resolveListing,
  failListing,
}: Pick<WorkCommands, 'resolveListing' | 'failListing'>): Task =>
  task(Payload, resolveListing, failListing);
