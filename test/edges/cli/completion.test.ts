import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { call } from '#test/support/run-client.ts';

/** What bash offers for each of these lines, whose last word is being typed: by the function itself, in one bash. */
const completed = async (lines: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const { stdout: script } = await call({}, ['completion', 'bash']);
  const asked = lines.map((line) => {
    const words = `steno ${line}`.split(' ');
    const list = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _steno; echo "\${COMPREPLY[*]}"`;
  });
  const run = promisify(execFile);
  const { stdout } = await run('bash', ['--norc', '-c', `${script}\n${asked.join('\n')}`]);
  return stdout
    .split('\n')
    .slice(0, lines.length)
    .map((line) => line.split(' ').filter((word) => word !== ''));
};

describe('completion', () => {
  it('offers verbs, options and their values in bash', async () => {
    const [first, verbs, flags, values, files, shells, after] = await completed([
      'la',
      'jobs wa',
      'get --list',
      'get lighthouse1 -f s',
      'get -o package.j',
      'completion ',
      '--quiet webhooks re',
    ]);
    assert.deepEqual(first, ['languages']);
    assert.deepEqual(verbs, ['watch']);
    assert.deepEqual(flags, ['--list-languages']);
    assert.deepEqual(values, ['srt']);
    assert.deepEqual(files, ['package.json']);
    assert.deepEqual(shells, ['bash', 'zsh', 'fish']);
    assert.deepEqual(after, ['replay', 'recover']);
  });

  it('has the same words for zsh and fish', async () => {
    const zsh = (await call({}, ['completion', 'zsh'])).stdout;
    assert.match(zsh, /bashcompinit\n_steno\(\) \{/);
    const fish = (await call({}, ['completion', 'fish'])).stdout;
    assert.match(fish, /^complete -c steno -n '__steno_at \\'jobs\\'' -f -a watch -d 'show the progress /m);
    assert.match(fish, /^complete .*'get\\'' -s f -l format -x -a 'txt srt vtt /m);
    assert.equal((await call({}, ['completion', 'tcsh'])).code, 2);
  });
});
