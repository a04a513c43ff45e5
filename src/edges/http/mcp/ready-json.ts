/** JSON that is written already, in place of the value that it stands for. */
export class ReadyJson {
  readonly bytes: Buffer;

  constructor(json: Buffer | string) {
    this.bytes = typeof json === 'string' ? Buffer.from(json) : json;
  }

  toJSON(): unknown {
    return JSON.parse(this.bytes.toString());
  }
}

/** What `joined` makes one buffer of. */
export type Pieces = readonly (Buffer | string)[];

/** An object as JSON. Members that are `ReadyJson` stand as they are: a long text is neither parsed nor escaped again. */
export const piecesOf = (value: Readonly<Record<string, unknown>>): Pieces => {
  const pieces: (Buffer | string)[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const before = `${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (member instanceof ReadyJson) pieces.push(before, member.bytes);
    else pieces.push(before + JSON.stringify(member));
  }
  return pieces.length === 0 ? ['{}'] : [...pieces, '}'];
};

/** Copies the pieces once. */
export const joined = (pieces: Pieces): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
