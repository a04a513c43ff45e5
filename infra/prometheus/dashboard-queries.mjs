// Prints every query of the dashboards as a rule, so that promtool parses it.
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../grafana/', import.meta.url);
const rules = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const { panels } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    return panels.flatMap(({ targets = [] }) => targets);
  })
  .map(({ expr }, index) => ({
    record: `dashboard:query:${index}`,
    // What Grafana puts in.
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1d'),
  }));
process.stdout.write(`${JSON.stringify({ groups: [{ name: 'dashboards', rules }] }, null, 2)}\n`);
