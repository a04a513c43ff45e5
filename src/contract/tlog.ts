import { z } from 'zod';
import { endpointsWith, type OpenEndpoint } from './endpoint.ts';

const ofLog = endpointsWith({ access: 'anyone', rateLimit: 'none', tag: 'Transparency log' });

export const readCheckpoint = {
  ...ofLog('getCheckpoint', 'GET', '/tlog/checkpoint'),
  cacheControl: 'public, max-age=2',
  summary: 'The newest checkpoint of the log of all ledger entries',
  description:
    'A signed note (C2SP tlog-checkpoint): origin, number of leaves, root. Tiles are at `/tlog/tile/<level>/<index>`, as specified by C2SP tlog-tiles.',
  answers: { 200: { description: 'The checkpoint.', text: ['text/plain'] } },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const readLogKeys = {
  ...ofLog('getLogKeys', 'GET', '/tlog/keys'),
  cacheControl: 'public, max-age=60',
  summary: 'The keys that sign checkpoints',
  description: 'Verifier keys of C2SP signed-note, one per line, newest first, including former ones.',
  answers: { 200: { description: 'The keys.', text: ['text/plain'] } },
} satisfies OpenEndpoint;

/** Of C2SP tlog-tiles, whose paths have as many parts as the number of the tile needs: the reference does not name it. */
export const readTile = {
  ...ofLog('getTile', 'GET', '/tlog/tile/*tile'),
  // Tiles never change once they are full, and a partial one is named by its width.
  cacheControl: 'public, max-age=31536000, immutable',
  summary: 'A tile of the log',
  params: z.object({ tile: z.array(z.string()).max(10) }),
  answers: {},
} satisfies OpenEndpoint;

/** Of C2SP tlog-witness, whose body is text. */
export const addCheckpoint = {
  ...ofLog('addCheckpoint', 'POST', '/tlog/add-checkpoint'),
  cacheControl: 'no-store',
  summary: 'Request a cosignature of a checkpoint of another log',
  answers: {},
} satisfies OpenEndpoint;

/** The endpoints in the reference. */
export const tlogEndpoints = [readCheckpoint, readLogKeys] as const;
