import type { InclusionProof } from './transparency-log.ts';

/** A proof as a C2SP tlog-proof; the salt of the account is its extra data. */
export const tlogProofText = ({ salt, leafIndex, inclusion, checkpoint }: InclusionProof): string => {
  const lines = [
    'c2sp.org/tlog-proof@v1',
    `extra ${base64Of(salt)}`,
    `index ${leafIndex}`,
    ...inclusion.map(base64Of),
    '',
    checkpoint,
  ];
  return lines.join('\n');
};

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
