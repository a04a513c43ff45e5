import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { mostCredits } from '../../contract/keys.ts';

/** An option that takes a whole number from 1 on, up to `most`. */
export const countOption = (flags: string, about: string, most = 9_999_999): Option =>
  new Option(flags, about).argParser((text) => {
    if (/^[1-9][0-9]{0,6}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
  });

/** Whole credits of an option. */
export const parseCredits = (text: string): number => {
  const credits = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (credits >= 1 && credits <= mostCredits) return credits;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${mostCredits}.`);
};

const Time = z.iso.datetime({ offset: true });

/** A time with its offset (RFC 3339). */
export const parseTime = (text: string): string => {
  if (Time.safeParse(text).success) return text;
  throw new InvalidArgumentError('It is a time with its offset, such as 2027-01-31T00:00:00Z.');
};
