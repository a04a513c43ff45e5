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

  return (
    key: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    if (signal.aborted) return Promise.reject(signal.reason);
    const flight = take(key, start);
    flight.waiting += 1;
    return new Promise<Value>((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', abort);
        flight.waiting -= 1;
      };
      const abort = () => {
        leave();
        if (flight.waiting === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.controller.abort(signal.reason);
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort);
      flight.result.then(
        (value) => {
          leave();
          resolve(value);
        },
        (error: unknown) => {
          leave();
          reject(error);
        },
      );
    });
  };
};
