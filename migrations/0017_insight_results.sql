-- What models made of transcripts, by the hash of captions, operation, parameters, prompts and model: asked again, it is not made again.
-- Everything here can be dropped.
CREATE TABLE insight_result (
  key text COLLATE "C" NOT NULL,
  result text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT insight_result_pkey PRIMARY KEY (key)
);

CREATE INDEX insight_result_created_at_idx ON insight_result (created_at);
