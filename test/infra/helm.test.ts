import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { variables } from '#src/config.ts';

const folder = 'infra/helm/steno';
const read = (path: string): string => readFileSync(path, 'utf8');
const values = parse(read(`${folder}/values.yaml`)) as Readonly<Record<string, unknown>>;
const templates = globSync(`${folder}/templates/*`).toSorted();

const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;

describe('the chart for Kubernetes', () => {
  it('has the version of the program', () => {
    const chart = parse(read(`${folder}/Chart.yaml`));
    assert.equal(chart.appVersion, JSON.parse(read('package.json')).version);
  });

  it('sets only variables that the program knows', () => {
    const settings = Object.keys(values['settings'] ?? {});
    const inTemplates = templates.flatMap((path) =>
      [...read(path).matchAll(/- name: ([A-Z][A-Z_]+)$/gm)].map(([, name = '']) => name),
    );
    assert.ok(settings.includes('PUBLIC_URL') && inTemplates.includes('METRICS_PORT'));
    const unknown = [...settings, ...inTemplates].filter((name) => !(name in variables));
    assert.deepEqual(unknown, []);
  });

  it('uses values that values.yaml has, and every one of them', () => {
    const text = templates.map(read).join('\n');
    const used = new Set([...text.matchAll(/\.Values\.([A-Za-z_.]+)/g)].map(([, path = '']) => path));
    const missing = [...used].filter((path) => path.split('.').reduce<unknown>(member, values) === undefined);
    assert.deepEqual(missing, []);
    const leaves = (of: unknown, path: string): readonly string[] =>
      used.has(path) || typeof of !== 'object' || of === null
        ? [path]
        : Object.entries(of).flatMap(([name, value]) => leaves(value, path === '' ? name : `${path}.${name}`));
    const unused = leaves(values, '').filter((path) => !used.has(path));
    assert.deepEqual(unused, []);
  });

  it('closes every block, and includes what is defined', () => {
    const helpers = read(`${folder}/templates/_helpers.tpl`);
    for (const path of templates) {
      const actions = [...read(path).matchAll(/\{\{-? *(\w+)/g)].map(([, word = '']) => word);
      const opened = actions.filter((word) => ['if', 'with', 'range', 'define'].includes(word));
      const ended = actions.filter((word) => word === 'end');
      assert.equal(opened.length, ended.length, path);
      for (const [, name = ''] of read(path).matchAll(/include "([^"]+)"/g)) {
        assert.ok(helpers.includes(`define "${name}"`), `${path}: ${name}`);
      }
    }
  });
});
