// The health check of a container: liveness and nothing else, so that a database that is away makes no process unhealthy.
// A worker answers where METRICS_PORT is set; one without cannot be asked.
const { ROLE, PORT = '3000', METRICS_PORT = '' } = process.env;
const address = ROLE === 'worker' ? `http://127.0.0.1:${METRICS_PORT}/` : `http://127.0.0.1:${PORT}/api/health`;

const isAlive = async () => {
  if (ROLE === 'worker' && METRICS_PORT === '') return true;
  // How long this may take is the time-out of the health check.
  const { ok } = await fetch(address);
  // A worker has nothing at this address: that it says so is enough.
  return ok || ROLE === 'worker';
};

process.exitCode = (await isAlive().catch(() => false)) ? 0 : 1;
