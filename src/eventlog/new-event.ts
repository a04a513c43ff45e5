import type { Event } from '@event-driven-io/emmett';
import type { EventMeta, NewEvent } from './event-log.ts';
import { currentSchemaVersion } from './upcasting.ts';

/** An event to append, in the current version of its type. */
export const newEvent = <E extends Event>({ type, data }: E, id: string, meta: EventMeta): NewEvent<E> => ({
  id,
  type,
  schemaVersion: currentSchemaVersion,
  data,
  meta,
});
