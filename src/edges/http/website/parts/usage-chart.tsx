import type { AccountUsage } from '../../../../queries.ts';
import { usePage } from '../layout.tsx';
import { fill, number } from '../words.ts';
import { written } from './times.tsx';

const height = 180;
const top = 26;
const bottom = 20;
/** Percent of the width; the values of the axis stand in it. */
const left = 8;
/** More would not fit beside one another on a phone. */
const mostLabels = 5;

/** The axis of values up to `most`: 0 and round numbers, the last at or above it. */
export const axisOf = (most: number): readonly number[] => {
  const rough = Math.max(1, most) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, index) => index * step);
};

/**
 * Requests and credits of each UTC day, beside each other, over the whole width. Each day leads to its ledger entries; its
 * values are shown while it is pointed at or has the focus.
 */
export const UsageChart = ({ daily }: Pick<AccountUsage, 'daily'>) => {
  const { usage: words, site, language } = usePage().words;
  const axis = axisOf(Math.max(...daily.flatMap(({ count, credits }) => [count, credits])));
  const most = axis.at(-1) ?? 1;
  const yOf = (value: number): number => top + (height - top - bottom) * (1 - Math.max(0, value) / most);
  const width = (100 - left) / Math.max(1, daily.length);
  const labelEach = Math.ceil(daily.length / mostLabels);
  const compact = new Intl.NumberFormat(language, { notation: 'compact' });
  const dayOf = (day: string) => written(language, day, { month: 'short', day: 'numeric' });
  const bar = (kind: 'requests' | 'credits', value: number, x: number) => (
    <rect class={kind} x={`${x}%`} y={yOf(value)} width={`${width * 0.4}%`} height={height - bottom - yOf(value)} />
  );
  return (
    <figure class="chart" aria-label={words.daily}>
      <figcaption class="small quiet-text">
        <span class="requests">■</span> {words.requests} <span class="credits">■</span> {words.creditsUsed}
      </figcaption>
      <svg width="100%" height={height}>
        <title>{words.daily}</title>
        {axis.map((value) => (
          <>
            <line x1={`${left}%`} x2="100%" y1={yOf(value)} y2={yOf(value)} />
            <text x={`${left - 1}%`} y={yOf(value) + 4} text-anchor="end">
              {compact.format(value)}
            </text>
          </>
        ))}
        {daily.map(({ day, count, credits }, index) => {
          const x = left + index * width;
          const labelled = (label: string, value: number) => `${label}${site.colon}${number(language, value)}`;
          const values = `${labelled(words.requests, count)}${site.comma}${labelled(words.creditsUsed, credits)}`;
          const label = `${dayOf(day)} · ${values}`;
          return (
            <a href={`/account/ledger?day=${day}&used_since=${day}`} aria-label={fill(words.entries, { what: label })}>
              <title>{label}</title>
              <rect class="day" x={`${x}%`} y={top} width={`${width}%`} height={height - top - bottom} />
              {bar('requests', count, x + width * 0.1)}
              {bar('credits', credits, x + width * 0.5)}
              <text class="values" x="100%" y={14} text-anchor="end">
                {label}
              </text>
            </a>
          );
        })}
        {daily.map(({ day }, index) =>
          index % labelEach === 0 ? (
            <text x={`${left + index * width}%`} y={height - 4}>
              {dayOf(day)}
            </text>
          ) : null,
        )}
      </svg>
    </figure>
  );
};
