import type { EventMeta, NewEvent } from '../eventlog/event-log.ts';
import type { Upcasting } from '../eventlog/upcasting.ts';
import type { CreditsEvent } from './credits.ts';
import { eventIdOf } from './event-ids.ts';

/** The schema version of a type of event today. Every ledger event is hashed before the log sees it, its version too. */
export type VersionOf = Upcasting['versionOf'];

/** A ledger event with its id and what surrounds it, ready to be sealed for the log. */
export const toNewEvent = (
  event: CreditsEvent,
  meta: EventMeta,
  versionOf: VersionOf,
): NewEvent<CreditsEvent> => ({
  id: eventIdOf(event),
  type: event.type,
  schemaVersion: versionOf(event.type),
  data: event.data,
  meta,
});

/** What surrounds an event that time alone causes: the same in every process. */
export const ownMeta = ({ data }: CreditsEvent): EventMeta => ({
  occurred_at: data.at,
  account_id: data.accountId,
  actor: { type: 'system', id: 'ledger' },
  channel: 'system',
});
