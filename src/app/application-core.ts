import type { Pool } from 'pg';
import type { Sql } from 'postgres';
import type { Commands } from '../commands.ts';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import type { WorkCommands } from '../edges/worker/work-commands.ts';
import type { Engine } from '../extraction/captions/caption-track.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Queries } from '../queries.ts';
import type { OpenLibrary } from './open-library.ts';
import type { OpenLog } from './open-log.ts';
import type { OpenTransparencyLog } from './open-transparency-log.ts';
import type { SecretKeys } from './secret-keys.ts';

/** Log, ledger, engine, commands and queries of one process: everything between the database and the edges. */
export type ApplicationCore = OpenLog & {
  readonly pool: Pool;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly secrets: SecretKeys;
  readonly ledger: Ledger;
  readonly engine: Engine;
  readonly transparency: OpenTransparencyLog;
  readonly commands: Commands;
  readonly queries: Queries;
  /** The commands of the worker; used by roles with a worker. */
  readonly work: WorkCommands;
  /** Keeps captions that were charged and not kept, see `captionKeeper`; used by roles with a worker. */
  readonly keepCharged: OpenLibrary['keeper']['keepCharged'];
  /** Merges what is due in the indexes of libraries; used by roles with a worker. */
  readonly mergeLibraries: OpenLibrary['mergeLibraries'];
};
