import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusReport } from '#src/edges/http/meta/status.ts';
import type { PageContext } from '#src/edges/http/website/layout.tsx';
import { wordsOf } from '#src/edges/http/website/messages/language.ts';
import { daysOf, resultOf, statusPage } from '#src/edges/http/website/pages/status.tsx';
import { badge, feed } from '#src/edges/http/website/status-pages.ts';
import { startEdge } from '#test/support/http.ts';

const context: PageContext = {
  words: wordsOf('en'),
  assets: { style: '/s.css', script: '/s.js', icon: '/i.svg' },
  url: '/status',
  publicUrl: 'https://steno.example',
  user: null,
};

const reported = async (): Promise<StatusReport> => {
  const at = '2026-11-21T12:00:00.000Z';
  await using edge = await startEdge({
    clock: () => new Date(at),
    statusHistory: {
      record: async () => undefined,
      read: async () => ({
        days: [
          { day: '2026-11-20', checks: 700, degraded: 0, outage: 0 },
          { day: '2026-11-21', checks: 400, degraded: 4, outage: 0 },
        ],
        incidents: [
          {
            alert: 'egress_down',
            summary: 'The video <platform> does not answer.',
            startedAt: '2026-11-21T11:00:00.000Z',
            lastSeenAt: '2026-11-21T11:30:00.000Z',
          },
        ],
      }),
    },
  });
  return (await (await edge.get('/api/status.json', {})).json()) as StatusReport;
};

describe('the status page', () => {
  it('tells days without record from days on which everything worked', async () => {
    const report = await reported();
    const days = daysOf(report);
    assert.equal(days.length, 90);
    assert.deepEqual(
      days.slice(-3).map(({ day, state, share }) => [day, state, share]),
      [
        ['2026-11-19', null, 0],
        ['2026-11-20', 'operational', 0],
        ['2026-11-21', 'degraded', 1],
      ],
    );
    const page = statusPage(context, report);
    assert.match(page, /2026-11-19: no data/);
    assert.match(page, /2026-11-20: everything worked, 700 looks/);
    assert.match(page, /on 2 of 90 days/);
  });

  it('tells an objective that is met from one that was never measured', async () => {
    const report = await reported();
    const [objective] = report.objectives;
    assert.ok(objective !== undefined);
    assert.equal(resultOf({ ...objective, current: null, status: 'monitored' }), 'noData');
    assert.equal(resultOf({ ...objective, current: 99.9, status: 'met' }), 'met');
    assert.equal(resultOf({ ...objective, current: 90, status: 'monitored' }), 'missed');
    const page = statusPage(context, { ...report, objectives: [{ ...objective, current: null }] });
    assert.match(page, /– no data/);
  });

  it('lists incidents, also as a feed in which their words are text', async () => {
    const report = await reported();
    assert.match(statusPage(context, report), /lasted 30 minutes/);
    const atom = feed('https://steno.example', report);
    assert.match(atom, /<title>The video &lt;platform&gt; does not answer\.<\/title>/);
    assert.match(atom, /<updated>2026-11-21T11:30:00\.000Z<\/updated>/);
    assert.match(badge({ ...report, status: 'degraded' }), /status: degraded/);
  });
});
