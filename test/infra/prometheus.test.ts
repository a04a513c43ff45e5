import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { prometheusMetrics } from '#src/adapters/telemetry/prometheus.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const rules = read('infra/prometheus/alerts.yml');
const page = read('docs/metrics.md');

const metrics = prometheusMetrics({ version: '1', role: 'all' });
const exposedOnce = (): Promise<string> =>
  metrics.expose({
    extraction: { consecutiveFailures: 0, lastProbe: null },
    pools: [],
    aiCircuit: null,
    database: null,
    isWritable: true,
  });
const exposed = await exposedOnce();
/** A second time, before the event loop has turned: nothing is measured since the first. */
const again = await exposedOnce();
const kinds = new Map([...exposed.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', kind = '']) => [name, kind]));
const isOfNode = (name: string): boolean => /^(process|nodejs)_/.test(name);

/** What a query may ask for: metrics, the series of histograms, what the rules record, and `up`. */
const series = new Set([
  'up',
  ...[...kinds].flatMap(([name, kind]) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
  ...[...rules.matchAll(/record: (\S+)/g)].map(([, name = '']) => name),
]);

const operators = /^(and|or|unless|by|without|on|ignoring|bool)$/;

/** The names of series in a query: what is left without labels, ranges, groupings, functions and numbers. */
const askedIn = (query: string): readonly string[] =>
  [
    ...query
      .replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
      .replace(/\b(by|without|on|ignoring) *\([^)]*\)/g, ' ')
      .matchAll(/[a-zA-Z_:][\w:]*(?! *[\w:(])/g),
  ]
    .map(([name]) => name)
    .filter((name) => !operators.test(name));

type Panel = { readonly title: string; readonly targets: readonly { readonly expr: string }[] };

describe('every Prometheus query', () => {
  it('uses metrics of the program: in rules, their tests, dashboards and runbooks', () => {
    const queries = [
      ...[...rules.matchAll(/expr: (?:>-\n((?: {10}.+\n)+)|(.+))/g)].map(
        ([, lines = '', line = '']) => ['alerts.yml', lines + line] as const,
      ),
      ...[...read('infra/prometheus/alerts.test.yml').matchAll(/series: (.+)/g)].map(
        ([, name = '']) => ['alerts.test.yml', name] as const,
      ),
      ...globSync('infra/grafana/*.json').flatMap((path) =>
        (JSON.parse(read(path)) as { panels: readonly Panel[] }).panels.flatMap(({ title, targets }) =>
          targets.map(({ expr }) => [`${path}: ${title}`, expr] as const),
        ),
      ),
      ...globSync('infra/runbooks/*.md').flatMap((path) =>
        [...read(path).matchAll(/`([^`]*\b(?:[a-z]+_){2}(?:total|seconds|bytes)\b[^`]*)`/g)].map(
          ([, query = '']) => [path, query] as const,
        ),
      ),
    ];
    assert.ok(queries.length > 120, `${queries.length} queries`);
    const unknown = queries.flatMap(([where, query]) =>
      askedIn(query)
        .filter((name) => !series.has(name))
        .map((name) => `${where} asks for ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('is in docs/metrics.md with its kind, and nothing else is', () => {
    const rows = [...page.matchAll(/^\| (`[^|]+`) \| (\w+) \|/gm)].flatMap(([, names = '', kind = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, kind]),
    );
    const own = [...kinds].filter(([name]) => !isOfNode(name));
    assert.deepEqual(rows.toSorted(), own.toSorted());
  });
});

describe('what Prometheus gets', () => {
  it('has a number in every series, even before the event loop was measured', () => {
    for (const text of [exposed, again]) assert.doesNotMatch(text, / nan$/im);
  });
});

describe('an alert', () => {
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

  it('has a runbook of its name, and every runbook is of an alert', () => {
    const links = [...rules.matchAll(/runbook_url: (\S+)/g)].map(([, url]) => url);
    assert.deepEqual(
      links,
      alerts.map((name) => `infra/runbooks/${name}.md`),
    );
    assert.deepEqual(readdirSync('infra/runbooks').toSorted(), alerts.map((name) => `${name}.md`).toSorted());
    for (const name of alerts) {
      const text = read(`infra/runbooks/${name}.md`);
      assert.match(text, new RegExp(`^# ${name}\n`));
      for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)/g)) {
        assert.ok(existsSync(`infra/runbooks/${target}`), `${name} links to ${target}`);
      }
    }
  });

  it('is tested where it fires, and listed in docs/metrics.md', () => {
    const tests = read('infra/prometheus/alerts.test.yml');
    for (const name of alerts) {
      assert.ok(tests.includes(`alertname: ${name}\n        exp_alerts:\n`), `${name} is not tried`);
      assert.ok(page.includes(`\`${name}\``), `${name} is not in docs/metrics.md`);
    }
  });
});
