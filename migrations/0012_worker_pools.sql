-- Tells which worker pools live: what a pool that beats no more has locked in the queue is given to others.
CREATE TABLE worker_pools (
  pool_id  text PRIMARY KEY,
  tasks    text[] NOT NULL,
  host     text NOT NULL,
  os_pid   integer NOT NULL,
  beat_at  timestamptz NOT NULL DEFAULT now()
);
