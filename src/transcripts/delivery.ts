import { fieldsOf } from '../contract/operation.ts';
import { type OperationCall, operationNamed } from '../contract/operations.ts';
import type { Delivery } from '../credits/charge-credits.ts';
import type { Extraction, WantedTranscript } from '../extraction/captions/caption-track.ts';
import { contentHash } from '../kernel/canonical-json.ts';
import { memoizeByObject } from '../kernel/memoize.ts';
import { toJson } from './formats/json.ts';
import { shapeTranscript } from './shape-transcript.ts';

/**
 * SHA-256 (hex) of the captions in canonical JSON, `{language, segments, source, video_id}`: the same whatever format and
 * options they are delivered in. It is made once of an extraction.
 */
export const captionsSha256 = memoizeByObject((extraction: Extraction): string => {
  const { transcript } = shapeTranscript(extraction, { format: 'json', timestamps: false, clean: false });
  const { video_id, language, source, segments } = toJson(transcript);
  return contentHash({ video_id, language, source, segments });
});

/** How captions were asked for: what differs from the defaults. */
type CaptionsAsked = Pick<WantedTranscript, 'language' | 'captions' | 'mayTranslate' | 'words'> & {
  readonly asr?: string;
  readonly timestamps?: boolean;
  readonly clean?: boolean;
  /** Absent: the form of the operation. */
  readonly format?: string;
  /** What else was chosen. */
  readonly choices?: NonNullable<Delivery['options']>;
};

const captionOptions = (asked: CaptionsAsked): NonNullable<Delivery['options']> => ({
  ...(asked.language === null ? {} : { lang: asked.language }),
  ...(asked.captions === undefined || asked.captions === 'any' ? {} : { captions: asked.captions }),
  ...(asked.asr === undefined || asked.asr === 'off' ? {} : { asr: asked.asr }),
  ...(asked.mayTranslate === true ? { translate: 'platform' } : {}),
  ...(asked.timestamps === true ? { timestamps: true } : {}),
  ...(asked.clean === true ? { clean: true } : {}),
  ...(asked.words === true ? { words: true } : {}),
  ...asked.choices,
});

const withOptions = (options: NonNullable<Delivery['options']>): Pick<Delivery, 'options'> =>
  Object.keys(options).length === 0 ? {} : { options };

/** What is delivered of captions. */
export const deliveryOf = (extraction: Extraction, asked: CaptionsAsked): Delivery =>
  deliveryNamed(captionsSha256(extraction), asked);

/** The same, of captions whose hash is known. */
export const deliveryNamed = (contentSha256: string, asked: CaptionsAsked): Delivery => ({
  contentSha256,
  ...(asked.format === undefined ? {} : { format: asked.format }),
  ...withOptions(captionOptions(asked)),
});

/** What is delivered of an operation: its result, and what was asked for besides texts that people type. */
export const resultDelivery = (call: OperationCall, result: object, asked: CaptionsAsked): Delivery => ({
  contentSha256: contentHash(result),
  ...withOptions({ ...captionOptions(asked), ...choicesOf(call) }),
});

const choicesOf = (call: OperationCall): NonNullable<Delivery['options']> =>
  Object.fromEntries(
    fieldsOf(operationNamed(call.operation)).flatMap(({ name, kind }) => {
      const value: unknown = Reflect.get(call, name);
      const isChoice = kind !== 'text' && (typeof value === 'string' || typeof value === 'number');
      return isChoice ? [[name, value] as const] : [];
    }),
  );
