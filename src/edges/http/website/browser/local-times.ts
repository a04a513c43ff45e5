type Form = Intl.DateTimeFormatOptions;

const day: Form = { month: 'short', day: 'numeric' };
const clock: Form = { hour: 'numeric', minute: '2-digit' };
const forms: Readonly<Record<string, Form>> = {
  full: { year: 'numeric', ...day, ...clock, timeZoneName: 'short' },
  clock,
};

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const { lang } = document.documentElement;

/** The UTC day of a time, and that of the reader. */
const dayIn = (at: Date, zone: string): string => at.toLocaleDateString('en', { timeZone: zone });

/**
 * Writes times in the zone of the reader: those with `data-time`, which the server wrote in UTC. That text is in the title
 * then; with `data-utc` it stands beside. A time of a day that is another day for its reader says which.
 */
export const writeLocally = (within: ParentNode): void => {
  if (timeZone === 'UTC') return;
  for (const time of within.querySelectorAll<HTMLTimeElement>('time[data-time]:not([data-local])')) {
    const at = new Date(time.dateTime);
    const utc = time.textContent ?? '';
    const isClock = time.dataset['time'] === 'clock';
    const isOtherDay = isClock && dayIn(at, timeZone) !== dayIn(at, 'UTC');
    const form = { ...(isOtherDay ? day : {}), ...forms[time.dataset['time'] ?? ''], timeZone };
    const local = new Intl.DateTimeFormat(lang, form).format(at);
    // A time of day stays on one line, its "AM" too.
    time.textContent = isClock ? local.replaceAll(' ', '\u00a0') : local;
    time.title = utc;
    if (time.dataset['utc'] !== undefined) {
      const beside = document.createElement('small');
      beside.textContent = ` ${utc}`;
      time.append(beside);
    }
    time.dataset['local'] = '';
  }
};

writeLocally(document);
