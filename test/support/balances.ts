import { Client } from 'pg';

/** Charges of one kind of operation, read from the events instead of a read model. */
export const chargesOf = async (
  databaseUrl: string,
  accountId: string,
  operation = 'transcript',
): Promise<readonly { readonly eventId: string; readonly requestId: string }[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ eventId: string; requestId: string }>(
      `SELECT event_id AS "eventId", data ->> 'requestId' AS "requestId"
       FROM es_event
       WHERE type = 'CreditsCharged' AND data ->> 'accountId' = $1 AND data ->> 'operation' = $2
       ORDER BY position`,
      [accountId, operation],
    );
    return rows;
  } finally {
    await client.end();
  }
};
