import { hash as digestOf } from 'node:crypto';
import type { Event } from '@event-driven-io/emmett';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Append, NewEvent, RecordedEvent } from './event-log.ts';

/** The previous hash of the first event of a chain: 32 zero bytes, in hexadecimal. */
export const genesisHash = '0'.repeat(64);

/** The parts of an event that its hash covers, as an export or the log holds them. */
export type Link = Pick<RecordedEvent, 'id' | 'type' | 'schemaVersion' | 'stream' | 'version' | 'meta'> & {
  readonly data: unknown;
};

/** SHA-256 (hex) of the previous hash and the canonical JSON of the event. */
export const hashOf = (prevHash: string, link: Link): string => {
  const { chain: _, ...meta } = link.meta;
  const body = canonicalJson({
    id: link.id,
    type: link.type,
    schema_version: link.schemaVersion,
    stream: link.stream,
    version: String(link.version),
    data: link.data,
    meta,
  });
  return digestOf('sha256', prevHash + body);
};

/** The event with the link that binds it to the one before, at its place in its stream. */
export const sealed = <E extends Event>(
  event: NewEvent<E>,
  place: { readonly stream: string; readonly version: bigint; readonly prevHash: string },
): { readonly event: NewEvent<E>; readonly hash: string } => {
  const hash = hashOf(place.prevHash, { ...event, ...place });
  const chain = { prev_hash: place.prevHash, hash };
  return { event: { ...event, meta: { ...event.meta, chain } }, hash };
};

/** The beginning of a chained stream, ready for the log. */
export const chainedFromStart = <E extends Event>(stream: string, events: readonly NewEvent<E>[]): Append<E> => {
  let prevHash = genesisHash;
  const links = events.map((event, index) => {
    const link = sealed(event, { stream, version: BigInt(index + 1), prevHash });
    prevHash = link.hash;
    return link.event;
  });
  return { stream, expected: 0n, events: links };
};

export type ChainFault = Pick<Link, 'stream' | 'version' | 'id'> & {
  readonly what: 'no_link' | 'prev_hash' | 'hash' | 'version';
};

/**
 * Checks links in the order of their stream against the hash that came before. Returns the first that does
 * not hold, or the last hash. An altered, missing, added or moved event breaks its own link or the next one.
 */
export const verifyChain = (
  links: Iterable<Link>,
  start: { readonly hash: string; readonly version: bigint },
): { readonly fault: ChainFault | null; readonly hash: string; readonly version: bigint } => {
  let { hash, version } = start;
  for (const link of links) {
    const { chain } = link.meta;
    const fault = (what: ChainFault['what']) => ({
      fault: { stream: link.stream, version: link.version, id: link.id, what },
      hash,
      version,
    });
    if (chain === undefined) return fault('no_link');
    if (link.version !== version + 1n) return fault('version');
    if (chain.prev_hash !== hash) return fault('prev_hash');
    if (hashOf(hash, link) !== chain.hash) return fault('hash');
    hash = chain.hash;
    version = link.version;
  }
  return { fault: null, hash, version };
};
