import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openArchive, outputFiles, safeName } from '#src/edges/cli/output-files.ts';
import { transcript } from '#test/support/http.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steno-output-'));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the file of a transcript', () => {
  const write = (template: string, change: object = {}) =>
    outputFiles(join(folder, template)).write({ ...transcript, ...change }, 'txt', 'words\n');

  it('is named by its folder, by a template, or as given', async () => {
    const { videoId } = transcript;
    const paths = [
      await write('plain'),
      await write('{channel}/{title} [{id}] {language}.{ext}'),
      await write('one.txt'),
    ];
    assert.deepEqual(
      paths.map((path) => path.slice(folder.length + 1)),
      [`plain/A title [${videoId}].txt`, `A channel/A title [${videoId}] en-GB.txt`, 'one.txt'],
    );
    assert.equal(await readFile(paths[1] ?? '', 'utf8'), 'words\n');
    assert.deepEqual(await readdir(join(folder, 'plain')), [`A title [${videoId}].txt`]);
  });

  it('stays in the place given by the template, whatever the title contains', async () => {
    for (const [title, name] of [
      ['../../etc/passwd', '_.._etc_passwd'],
      ['..', '_'],
      ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
      ['CON', '_CON'],
      ['nul.tar', '_nul.tar'],
      ['.hidden', 'hidden'],
      ['ends. . ', 'ends'],
      ['line\nbreak\u0000\u202etxt', 'line_break_txt'],
      ['', '_'],
      [null, '_'],
    ] as const) {
      const path = await write('in/{title}.{ext}', { title });
      assert.equal(path.slice(folder.length + 1), `in/${name}.txt`);
    }
  });

  it('has a name that every file system accepts', () => {
    const name = safeName('👩‍👩‍👧‍👦'.repeat(50), 120);
    assert.ok(Buffer.byteLength(name) <= 120);
    assert.equal(name, '👩‍👩‍👧‍👦'.repeat(4));
    assert.equal(safeName('日本語'.repeat(100), 120).length, 40);
  });

  it('is not overwritten by another transcript of the same command', async () => {
    const files = outputFiles(join(folder, 'same/{title}.{ext}'));
    await files.write(transcript, 'txt', 'first');
    const other = { ...transcript, videoId: 'lighthouse1' };
    await assert.rejects(files.write(other, 'txt', 'second'), /add \{id\} to -o/);
    assert.equal(await readFile(join(folder, 'same/A title.txt'), 'utf8'), 'first');
  });

  it('has no placeholder that the template does not support', () => {
    assert.throws(() => outputFiles('{date}/{id}.{ext}'), /-o does not support \{date\}; use \{title\}/);
    assert.throws(() => outputFiles('{id'.concat('.txt')), /-o does not support/);
  });
});

describe('a place that cannot be written to', () => {
  const write = (path: string) => outputFiles(path).write(transcript, 'txt', 'words\n');

  it('is refused before reading: a folder that cannot be created, a file in its path, a folder of its name', async () => {
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'taken.txt'));
    for (const [path, reason] of [
      ['/proc/none', 'there is no such folder'],
      ['/proc/none/{channel}/{id}.{ext}', 'there is no such folder'],
      [join(folder, 'file/sub'), 'a part of its path is a file'],
      [join(folder, 'file/one.txt'), 'a part of its path is a file'],
    ] as const) {
      const message = `${path} cannot be written: ${reason}`;
      await assert.rejects(outputFiles(path).prepare(), { name: 'FileError', message });
    }
    const taken = join(folder, 'taken.txt');
    const message = `${taken} is a folder`;
    await assert.rejects(outputFiles(taken).prepare(), { name: 'FileError', message });
    await outputFiles(join(folder, 'new/{title}.{ext}')).prepare();
    assert.deepEqual(await readdir(join(folder, 'new')), []);
  });

  it('is reported when the disk is full, and leaves nothing unfinished', async () => {
    const path = join(folder, 'full/one.txt');
    await mkdir(join(folder, 'full'));
    await symlink('/dev/full', `${path}.part`);
    const message = `${path} cannot be written: the disk is full`;
    await assert.rejects(write(path), { name: 'FileError', message });
    assert.deepEqual(await readdir(join(folder, 'full')), []);
  });

  it('refuses an archive in the same way', async () => {
    const archive = await openArchive('/proc/none/archive');
    await assert.rejects(archive.add('lighthouse1'), { name: 'FileError' });
  });
});

describe('the archive', () => {
  it('records completed videos, including those of other tools and those before an interruption', async () => {
    const path = join(folder, 'archive');
    await writeFile(path, 'youtube lighthouse1\nlanguages-6\nteatime');
    const archive = await openArchive(path);
    assert.deepEqual(
      ['lighthouse1', 'languages-6', 'other'].map((id) => archive.has(id)),
      [true, true, false],
    );
    await archive.add('other');
    await archive.add('other');
    assert.match(await readFile(path, 'utf8'), /\nteatime\nother\n$/);
    assert.equal((await openArchive(join(folder, 'none'))).has('other'), false);
  });
});
