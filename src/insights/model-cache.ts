import { hash } from 'node:crypto';

/** The key of a result in the cache: SHA-256, hexadecimal, of a list of values. */
export const hashOf = (values: readonly unknown[]): string => hash('sha256', JSON.stringify(values), 'hex');

/** Vectors as they are kept: 32-bit floats in base64, a quarter of their size as JSON. */
export type KeptVectors = { readonly width: number; readonly floats: string };

/** All vectors must have the same width. */
export const toKept = (vectors: readonly (readonly number[])[]): KeptVectors => ({
  width: vectors[0]?.length ?? 0,
  floats: Buffer.from(Float32Array.from(vectors.flat()).buffer).toString('base64'),
});

/** The vectors that `toKept` stored, with the precision of 32-bit floats. */
export const fromKept = ({ width, floats }: KeptVectors): readonly (readonly number[])[] => {
  const bytes = Uint8Array.from(Buffer.from(floats, 'base64'));
  const all = new Float32Array(bytes.buffer);
  return Array.from({ length: width === 0 ? 0 : all.length / width }, (_, index) =>
    Array.from(all.subarray(index * width, (index + 1) * width)),
  );
};
