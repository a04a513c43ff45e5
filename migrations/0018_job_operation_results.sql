-- What the operations of a job made of each item, beside its transcript; a row is made once and then charged.
CREATE TABLE job_operation_result (
  item_id text COLLATE "C" NOT NULL,
  -- In the order in which the job names its operations, from 0.
  place smallint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  operation text NOT NULL,
  credits integer NOT NULL,
  -- NULL until it is charged.
  charge_id text,
  result text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT job_operation_result_pkey PRIMARY KEY (item_id, place)
);

CREATE INDEX job_operation_result_account_id_idx ON job_operation_result (account_id);
CREATE INDEX job_operation_result_created_at_idx ON job_operation_result (created_at);
