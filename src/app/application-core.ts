import type { Pool } from 'pg';
import type { Sql } from 'postgres';
import type { AuthorizationStore } from '../authorizations/authorization-store.ts';
import type { Commands } from '../commands.ts';
import type { Balance, Freshness, Ledger } from '../credits/ledger/ledger-service.ts';
import type { WorkCommands } from '../edges/worker/work-commands.ts';
import type { Engine } from '../extraction/captions/caption-track.ts';
import type { ProduceDeps } from '../insights/run-with-model.ts';
import type { Call } from '../kernel/call.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Tracer } from '../kernel/tracing.ts';
import type { captionKeeper } from '../library/library-commands.ts';
import type { mergeLibraries } from '../library/merge-libraries.ts';
import type { LongReads } from '../queries/long-reads.ts';
import type { Queries } from '../queries.ts';
import type { TransparencyLog } from '../tlog/transparency-log.ts';
import type { Witness } from '../tlog/witness-logs.ts';
import type { OpenLog } from './open-log.ts';
import type { SecretKeys } from './secret-keys.ts';

/** The log of this service, and its witness of the logs of others. */
export type OpenTransparencyLog = {
  readonly log: () => Promise<TransparencyLog>;
  readonly witness: () => Promise<Witness>;
  /** Begins the log where there is none. */
  readonly begin: () => Promise<void>;
};

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
  readonly keepCharged: ReturnType<typeof captionKeeper>['keepCharged'];
  /** Merges what is due in the indexes of libraries; used by roles with a worker. */
  readonly mergeLibraries: ReturnType<typeof mergeLibraries>;
};

/** What parts of the core are opened with: the core, and what they share besides. Each names the members that it uses. */
export type CoreParts = ApplicationCore & {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Null: tracing is off. */
  readonly tracer: Tracer | null;
  /** The absolute base of links, known once the server listens. */
  readonly baseUrl: () => Promise<string>;
  /** A call made by the system itself. */
  readonly systemCall: (accountId: string) => Call;
  readonly balanceOf: (accountId: string, wanted: Freshness) => Promise<Balance>;
  readonly authorizationStore: AuthorizationStore;
  readonly insights: ProduceDeps;
  readonly longRead: LongReads;
};
