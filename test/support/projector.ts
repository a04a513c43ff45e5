import { type Projection, projectionSubscriptions } from '#src/eventlog/projections/projection.ts';
import type { Subscription } from '#src/eventlog/subscriptions/subscription.ts';

type Deps = Omit<Parameters<typeof projectionSubscriptions>[0], 'projections'>;

/** The subscription of one projection, alone in its process. */
export const projector = (deps: Deps & { readonly projection: Projection }): Subscription => {
  const { projection, ...rest } = deps;
  const subscription = projectionSubscriptions({ ...rest, projections: [projection] }).get(
    projection.name,
  );
  if (subscription === undefined) throw new Error(`${projection.name} has no subscription`);
  return subscription;
};
