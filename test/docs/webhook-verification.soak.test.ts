import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { defaultWebhookKinds } from '#src/contract/webhook-events.ts';
import { signatureToleranceS } from '#src/contract/webhooks.ts';
import { recordedExamples } from '#src/edges/http/openapi/recorded-examples.ts';
import { signatureHeaders } from '#src/webhooks/signature.ts';

const run = promisify(execFile);
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
  { body, signature: signed([secret]), now: at + signatureToleranceS, isGood: true },
  { body, signature: signed([other, secret]), now: at, isGood: true },
  { body, signature: signed([other]), now: at, isGood: false },
  { body: `${body} `, signature: signed([secret]), now: at, isGood: false },
  { body, signature: signed([secret]), now: at + signatureToleranceS + 1, isGood: false },
  { body, signature: signed([secret]), now: at - signatureToleranceS - 1, isGood: false },
  { body, signature: signed([secret]).replace(`t=${at}`, `t=${at + 1}`), now: at, isGood: false },
  { body, signature: '', now: at, isGood: false },
  // The header is missing.
  { body, signature: null, now: at, isGood: false },
  { body, signature: `t=${at},v1=`, now: at, isGood: false },
  // What no sender of ours writes is refused, and is no error either.
  { body, signature: `t,v1,t=,=,v1=é,${signed([other])}`, now: at, isGood: false },
  { body, signature: `t=${at},v1=é`, now: at, isGood: false },
  { body, signature: `t=${'9'.repeat(5_000)},v1=00`, now: at, isGood: false },
  { body, signature: `t=-1,v1=00`, now: -1, isGood: false },
].map((question) => ({ ...question, secret }));
const expected = questions.map(({ isGood }) => isGood);
const asked = JSON.stringify(questions);

const javascriptOfPage = codeOf('js');
const javascript = `${javascriptOfPage}
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

const java = codeOf('java').replace(
  'final class Webhooks',
  `class Main {
  public static void main(String[] args) throws Exception {
    for (String line : System.getenv("LINES").split("\\n")) {
      String[] asked = line.split("\\t", -1);
      byte[] body = java.util.Base64.getDecoder().decode(asked[1]);
      System.out.println(Webhooks.verify(asked[0], body, asked[2].equals("null") ? null : asked[2], Long.parseLong(asked[3])));
    }
  }
}

final class Webhooks`,
);
const perl = `${codeOf('perl')}
use JSON::PP;
my $questions = JSON::PP->new->decode($ENV{QUESTIONS});
print JSON::PP->new->encode([map {
    verify($_->{secret}, $_->{body}, $_->{signature}, $_->{now}) ? JSON::PP::true : JSON::PP::false;
} @$questions]);`;
/** The questions for a language whose library reads no JSON. */
const lines = questions
  .map(({ body, signature, now }) => [secret, Buffer.from(body).toString('base64'), String(signature), now].join('\t'))
  .join('\n');

type Language = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly file: string;
  readonly code: string;
  readonly answersIn?: (stdout: string) => unknown;
};

const languages: readonly Language[] = [
  { name: 'JavaScript', command: process.execPath, args: [], file: 'verify.mjs', code: javascript },
  { name: 'Python', command: 'python3', args: [], file: 'verify.py', code: python },
  {
    name: 'Java',
    command: 'java',
    args: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    file: 'Main.java',
    code: java,
    answersIn: (stdout) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => line === 'true'),
  },
  { name: 'Perl', command: 'perl', args: [], file: 'verify.pl', code: perl },
  { name: 'Go', command: 'go', args: ['run'], file: 'verify.go', code: go },
  { name: 'PHP', command: 'php', args: [], file: 'verify.php', code: php },
];

/** What the verifier of a language says to the questions; null where its command does not exist. */
const answersOf = async ({ command, args, file, code, answersIn = JSON.parse }: Language) => {
  const folder = mkdtempSync(join(tmpdir(), 'steno-verify-'));
  try {
    writeFileSync(join(folder, file), code);
    const env = { ...process.env, QUESTIONS: asked, LINES: lines };
    const { stdout } = await run(command, [...args, file], { cwd: folder, env });
    return answersIn(stdout);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

describe('the verifiers in the documents', () => {
  // S77: signatures of webhooks
  it('accept signed requests and no others, in every language that this machine has', async () => {
    const answers = await Promise.all(
      languages.map(async (language) => [language.name, await answersOf(language)] as const),
    );
    const absent = answers.flatMap(([name, said]) => (said === null ? name : []));
    if (absent.length > 0) console.error(`NOT RUN, for this machine lacks it: ${absent.join(', ')}`);
    const ran = answers.filter(([name]) => !absent.includes(name));
    for (const [name, said] of ran) assert.deepEqual(said, expected, name);
    // Node is always there; a machine needs nothing else for the suite.
    assert.ok(ran.some(([name]) => name === 'JavaScript'));
  });

  it('accept the recorded samples of the page', () => {
    const samples = [...page.matchAll(/```http\nPOST .*\nHost: .*\n([\s\S]*?)\n\n(.*)\n```/g)];
    const shown = samples.map(([, headers = '', text = '']) => ({
      headers: Object.fromEntries(
        headers.split('\n').map((line) => {
          const [name = '', value] = line.split(': ');
          return [name.toLowerCase(), value];
        }),
      ),
      body: JSON.parse(text),
    }));
    const { webhooks } = recordedExamples();
    assert.deepEqual(
      shown,
      defaultWebhookKinds.map((kind) => webhooks[kind]),
    );
    for (const [index, [, , text = '']] of samples.entries()) {
      const told: Record<string, string | undefined> = shown[index]?.headers ?? {};
      const again = signatureHeaders({
        id: told['webhook-id'] ?? '',
        timestampS: Number(told['webhook-timestamp']),
        body: text,
        secrets: [secret],
      });
      assert.equal(told['x-service-signature'], again['x-service-signature']);
    }
  });

  it('are those of the receiver of the demo', () => {
    const receiver = readFileSync(new URL('../../docs/webhook-receiver.mjs', import.meta.url), 'utf8');
    const [, verify = ''] = /(function verify[\s\S]*)/.exec(javascriptOfPage) ?? [];
    assert.ok(receiver.includes(verify.trim()));
  });

  it('accept the test vector of the page', () => {
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
