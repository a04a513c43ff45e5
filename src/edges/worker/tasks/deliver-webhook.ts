import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { after, type Task, task } from './task.ts';

const Announcement = z.object({ jobId: z.string(), run: z.int(), causeId: z.string() });
const Delivery = z
  .object({ deliveryId: z.string(), after })
  .transform(({ deliveryId, after }) => ({ deliveryId, expectedAttempt: after }));

/** Finds the receivers of a run that has ended. */
export const announceRun = ({ announceRun }: Pick<WorkCommands, 'announceRun'>): Task =>
  task(Announcement, announceRun);

/** Makes one attempt; a retry is a new task. */
export const deliverWebhook = ({
  deliverWebhook,
  failDelivery,
}: Pick<WorkCommands, 'deliverWebhook' | 'failDelivery'>): Task =>
  task(Delivery, deliverWebhook, failDelivery);
