import { usePage } from '../layout.tsx';

/** A date and time as the language of the page writes it, in UTC, and the exact time for programs. */
export const Time = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={at}>
    {written(usePage().words.language, at, { dateStyle: 'medium', timeStyle: 'short' })} UTC
  </time>
);

/** The time of a day in UTC, where the day stands above it. */
export const Clock = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={at}>
    {written(usePage().words.language, at, { timeStyle: 'short' })}
  </time>
);

/** A UTC day, from a day (`YYYY-MM-DD`) or a time. */
export const Day = ({ day }: { readonly day: string }) => (
  <time datetime={day.slice(0, 10)}>{written(usePage().words.language, day, { dateStyle: 'medium' })}</time>
);

/** The form of all dates and times of the pages, in UTC. */
export const written = (language: string, at: string, form: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' }).format(new Date(at));
