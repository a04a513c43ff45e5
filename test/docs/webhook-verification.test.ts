import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { signatureHeaders } from '#src/webhooks/signature.ts';

const page = readFileSync(new URL('../../docs/webhook-verification.md', import.meta.url), 'utf8');
const codeOf = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1];
  assert.ok(found !== undefined, `the page shows ${language}`);
  return found;
};

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret, of the same size').toString('base64')}`;
const body = '{"id":"evt_1","type":"job.completed","note":"zwölf €"}';
const at = 1_767_225_600;
const signed = (secrets: readonly string[]): string =>
  signatureHeaders({ id: 'evt_1', timestampS: at, body, secrets })['x-service-signature'] ?? '';

/** What a verifier is asked, and what it must say. */
const questions = [
  { body, signature: signed([secret]), now: at, isGood: true },
  { body, signature: signed([secret]), now: at + 300, isGood: true },
  { body, signature: signed([other, secret]), now: at, isGood: true },
  { body, signature: signed([other]), now: at, isGood: false },
  { body: `${body} `, signature: signed([secret]), now: at, isGood: false },
  { body, signature: signed([secret]), now: at + 301, isGood: false },
  { body, signature: signed([secret]), now: at - 301, isGood: false },
  { body, signature: signed([secret]).replace(`t=${at}`, `t=${at + 1}`), now: at, isGood: false },
  { body, signature: '', now: at, isGood: false },
  { body, signature: `t=${at},v1=`, now: at, isGood: false },
].map((question) => ({ ...question, secret }));
const expected = questions.map(({ isGood }) => isGood);
const asked = JSON.stringify(questions);

const javascript = `${codeOf('js')}
const questions = JSON.parse(process.env.QUESTIONS);
console.log(JSON.stringify(questions.map((question) => verify(question))));`;
const python = `${codeOf('python')}
import json, os
print(json.dumps([verify(q["secret"], q["body"].encode(), q["signature"], q["now"]) for q in json.loads(os.environ["QUESTIONS"])]))`;
const go = `${codeOf('go').replace('package webhook', 'package main').replace('import (', 'import (\n\t"encoding/json"\n\t"os"')}
func main() {
	var questions []struct{ Secret, Body, Signature string; Now int64 }
	if err := json.Unmarshal([]byte(os.Getenv("QUESTIONS")), &questions); err != nil { panic(err) }
	answers := []bool{}
	for _, q := range questions { answers = append(answers, Verify(q.Secret, []byte(q.Body), q.Signature, q.Now)) }
	json.NewEncoder(os.Stdout).Encode(answers)
}`;
const php = `${codeOf('php')}
echo json_encode(array_map(fn($q) => verify($q['secret'], $q['body'], $q['signature'], $q['now']), json_decode(getenv('QUESTIONS'), true)));`;

const languages = [
  {
    name: 'JavaScript',
    command: process.execPath,
    probe: '--version',
    args: [],
    file: 'verify.mjs',
    code: javascript,
  },
  {
    name: 'Python',
    command: 'python3',
    probe: '--version',
    args: [],
    file: 'verify.py',
    code: python,
  },
  { name: 'Go', command: 'go', probe: 'version', args: ['run'], file: 'verify.go', code: go },
  { name: 'PHP', command: 'php', probe: '--version', args: [], file: 'verify.php', code: php },
];

describe('the verifiers in the documents', () => {
  for (const { name, command, probe, args, file, code } of languages) {
    it(`believe what is signed and nothing else: ${name}`, (test) => {
      if (spawnSync(command, [probe]).status !== 0) {
        test.diagnostic(`NOT RUN: there is no ${command} on this machine`);
        console.error(`NOT RUN: the ${name} verifier, for there is no ${command} on this machine`);
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), 'steno-verify-'));
      try {
        writeFileSync(join(folder, file), code);
        const env = { ...process.env, QUESTIONS: asked };
        const ran = spawnSync(command, [...args, file], { cwd: folder, env, encoding: 'utf8' });
        assert.equal(ran.status, 0, ran.stderr);
        assert.deepEqual(JSON.parse(ran.stdout), expected);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }

  it('stand beside a vector that holds', () => {
    const vector = signatureHeaders({
      id: 'evt_1',
      timestampS: at,
      body: '{"id":"evt_1","type":"job.completed"}',
      secrets: [secret],
    });
    for (const value of Object.values(vector)) assert.ok(page.includes(`\`${value}\``), value);
    assert.ok(page.includes(`\`${secret}\``));
  });
});
