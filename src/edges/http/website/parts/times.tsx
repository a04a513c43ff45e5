import { Fact, usePage } from '../layout.tsx';
import type { Words } from '../words.ts';

/**
 * A date and time as the language of the page writes it, in UTC, and the exact time for programs. Scripts write it in the
 * zone of the reader; `hasUtc`: with UTC beside.
 */
export const Time = ({ at, hasUtc = false }: { readonly at: string; readonly hasUtc?: boolean }) => (
  <time datetime={at} title={at} data-time="full" data-utc={hasUtc ? '' : undefined}>
    {written(usePage().words.language, at, { dateStyle: 'medium', timeStyle: 'short' })} UTC
  </time>
);

/** A name with a time in a line of facts; null: there is none. */
export const TimeFact = ({ name, at }: { readonly name: string; readonly at: string | null }) =>
  at === null ? null : (
    <Fact name={name}>
      <Time at={at} />
    </Fact>
  );

/** The time of a day, where the day stands above it; as above, with UTC beside. */
export const Clock = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={at} data-time="clock" data-utc="">
    {written(usePage().words.language, at, { timeStyle: 'short' })} UTC
  </time>
);

/** A UTC day, from a day (`YYYY-MM-DD`) or a time. */
export const Day = ({ day }: { readonly day: string }) => (
  <time datetime={day.slice(0, 10)}>{dateIn(usePage().words, day)}</time>
);

/** The text of a UTC day, from a day (`YYYY-MM-DD`) or a time. */
export const dateIn = ({ language }: Pick<Words, 'language'>, day: string): string =>
  written(language, day, { dateStyle: 'medium' });

/** The form of all dates and times of the pages, in UTC. */
export const written = (language: string, at: string, form: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' }).format(new Date(at));
