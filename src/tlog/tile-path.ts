import { tileWidth } from './tiles.ts';

/** What a path of C2SP tlog-tiles names. `level` null: the entries themselves. `width`: 256 of a full tile. */
export type TilePath = { readonly level: number | null; readonly index: number; readonly width: number };

const pattern = /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
const topLevel = 63;

/** Reads `<L>/<N>[.p/<W>]` and `entries/<N>[.p/<W>]`; null: it is no such path. */
export const parseTilePath = (path: string): TilePath | null => {
  const [, kind = '', number = '', partial] = pattern.exec(path) ?? [];
  const digits = number.replaceAll(/[x/]/g, '');
  const index = Number(digits);
  const width = partial === undefined ? tileWidth : Number(partial);
  // No leading group of zeros: one tile has one path.
  const isWritten = digits !== '' && number === indexPath(index) && Number.isSafeInteger(index);
  const level = kind === 'entries' ? null : Number(kind);
  if (!isWritten || (partial !== undefined && width >= tileWidth) || (level ?? 0) > topLevel) return null;
  return { level, index, width };
};

/** `x001/x234/067` for 1234067. */
const indexPath = (index: number): string => {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  return groups.map((group, place) => (place === groups.length - 1 ? group : `x${group}`)).join('/');
};

/** The path of a tile; `level` null: of the entries. */
export const tilePath = ({ level, index, width }: TilePath): string =>
  `${level ?? 'entries'}/${indexPath(index)}${width === tileWidth ? '' : `.p/${width}`}`;
