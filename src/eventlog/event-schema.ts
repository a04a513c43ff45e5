import type { Event } from '@event-driven-io/emmett';
import { z } from 'zod';

/** Declares an event by its fields, which are JSON values; `meaning` is its entry in the catalogue of events. */
export const event = <Shape extends z.ZodRawShape>(meaning: string, fields: Shape): z.ZodObject<Shape> =>
  z.object(fields).describe(meaning);

/** A field that may be null; its description says what null means. */
export const orNull = <Schema extends z.ZodType>(field: Schema, meaning: string): z.ZodNullable<Schema> =>
  field.nullable().describe(`${field.description}; null: ${meaning}`);

export type EventSchemas = Readonly<Record<string, z.ZodObject>>;

/** The events of a catalogue, or one of them. */
export type EventOf<Schemas extends EventSchemas, Type extends keyof Schemas & string = keyof Schemas & string> = {
  [T in Type]: Event<T, z.output<Schemas[T]>>;
}[Type];
