import { orAborted } from '../kernel/abortable.ts';

type Flight<Value> = {
  readonly result: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
  /** `told` when the work begins to cost. */
  readonly cost: { hasBegun: boolean; readonly told: Set<() => void> };
};

type Start<Value> = (signal: AbortSignal, begun: () => void) => Promise<Value>;

/**
 * Work that several callers want at the same time is done once. A caller that aborts leaves alone; the work itself is
 * aborted when the last one has left. Nothing is kept after the end: that is the cache's business.
 *
 * The work says by `begun` that it begins to cost something; then every caller is told by its `onBegun`, also one that comes
 * later.
 */
export const singleFlight = <Value>() => {
  const flights = new Map<string, Flight<Value>>();

  const take = (key: string, start: Start<Value>): Flight<Value> => {
    const known = flights.get(key);
    if (known !== undefined) return known;
    const controller = new AbortController();
    const cost = { hasBegun: false, told: new Set<() => void>() };
    const begun = () => {
      cost.hasBegun = true;
      for (const tell of cost.told) tell();
    };
    const result = start(controller.signal, begun).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    // Every waiter sees the failure through its own promise; with no waiter left nobody has to.
    result.catch(() => {});
    const flight: Flight<Value> = { result, controller, waiting: 0, cost };
    flights.set(key, flight);
    return flight;
  };

  return async (
    key: string,
    signal: AbortSignal,
    start: Start<Value>,
    onBegun: () => void = () => {},
  ): Promise<Value> => {
    signal.throwIfAborted();
    const flight = take(key, start);
    flight.waiting += 1;
    // A function of its own, because two callers may pass the same one.
    const tell = () => onBegun();
    flight.cost.told.add(tell);
    if (flight.cost.hasBegun) tell();
    try {
      return await orAborted(flight.result, signal);
    } finally {
      flight.waiting -= 1;
      flight.cost.told.delete(tell);
      if (signal.aborted && flight.waiting === 0) {
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort(signal.reason);
      }
    }
  };
};
