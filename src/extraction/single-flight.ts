type Flight<Value> = {
  readonly result: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
};

/**
 * Work that several callers want at the same time is done once. A caller that aborts leaves alone; the work itself is
 * aborted when the last one has left. Nothing is kept after the end: that is the cache's business.
 */
export const singleFlight = <Value>() => {
  const flights = new Map<string, Flight<Value>>();

  const take = (key: string, start: (signal: AbortSignal) => Promise<Value>): Flight<Value> => {
    const known = flights.get(key);
    if (known !== undefined) return known;
    const controller = new AbortController();
    const result = start(controller.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    // Every waiter sees the failure through its own promise; with no waiter left nobody has to.
    result.catch(() => {});
    const flight: Flight<Value> = { result, controller, waiting: 0 };
    flights.set(key, flight);
    return flight;
  };

  return async (
    key: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    signal.throwIfAborted();
    const flight = take(key, start);
    flight.waiting += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([flight.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (signal.aborted && flight.waiting === 0) {
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort(signal.reason);
      }
    }
  };
};
