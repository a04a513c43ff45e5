import type { EventMeta, NewEvent } from '../../eventlog/event-log.ts';
import type { Upcasting } from '../../eventlog/upcasting.ts';
import type { CreditsEvent } from '../credits.ts';
import { eventIdOf } from './event-ids.ts';

/** The current schema version of an event type. It is part of the hash of a ledger event, so the ledger sets it itself. */
export type VersionOf = Upcasting['versionOf'];

/** A ledger event with its id and its metadata, ready to be hashed and appended. */
export const toNewEvent = (event: CreditsEvent, meta: EventMeta, versionOf: VersionOf): NewEvent<CreditsEvent> => ({
  id: eventIdOf(event),
  type: event.type,
  schemaVersion: versionOf(event.type),
  data: event.data,
  meta,
});

/** The metadata of an event that time alone causes: the same in every process. */
export const ownMeta = ({ data }: CreditsEvent): EventMeta => ({
  occurred_at: data.at,
  account_id: data.accountId,
  actor: { type: 'system', id: 'ledger' },
  channel: 'system',
});
