import { type Projection, projectionRunner } from '#src/eventlog/projections/projection.ts';
import type { Runner, Subscription } from '#src/eventlog/subscriptions/subscription-runner.ts';

type Deps = Omit<Parameters<typeof projectionRunner>[0], 'projections'>;

/** A runner for one projection and its subscription. */
export const projector = (deps: Deps & { readonly projection: Projection }): Subscription & Runner => {
  const { projection, ...rest } = deps;
  const { subscriptions, ...runner } = projectionRunner({ ...rest, projections: [projection] });
  const subscription = subscriptions.get(projection.name);
  if (subscription === undefined) throw new Error(`${projection.name} has no subscription`);
  return { ...subscription, ...runner };
};
