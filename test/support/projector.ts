import { type Projection, projectors } from '#src/eventlog/projection.ts';
import type { Subscription } from '#src/eventlog/subscriptions.ts';

type Deps = Omit<Parameters<typeof projectors>[0], 'projections'>;

/** The subscription of one projection, alone in its process. */
export const projector = (deps: Deps & { readonly projection: Projection }): Subscription => {
  const { projection, ...rest } = deps;
  const subscription = projectors({ ...rest, projections: [projection] }).get(projection.name);
  if (subscription === undefined) throw new Error(`${projection.name} has no subscription`);
  return subscription;
};
