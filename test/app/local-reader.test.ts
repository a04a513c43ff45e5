import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileTranscriptCache } from '#src/adapters/disk/transcript-cache-disk.ts';
import { openLocalReader } from '#src/app/local-reader.ts';
import { loadSettings } from '#src/config.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { silentLogger } from '#test/support/app.ts';
import { runProgram } from '#test/support/program.ts';

const { signal } = new AbortController();
const wanted = {
  ...({ reference: 'lighthouse1', language: null, format: 'txt' } as const),
  ...{ timestamps: false, clean: false },
};

/** Reads once, as one command does. */
const read = async (origin: string, folder: string | null): Promise<string | null> => {
  const settings = loadSettings({ PLATFORM_ORIGIN: origin });
  await using reader = await openLocalReader(settings, { logger: silentLogger, signal, folder });
  return (await reader.readTranscript(wanted)).text;
};

describe('reading without a database', () => {
  it('keeps what it read in the folder of the user, for its user alone', async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), 'steno-home-'));
    let text: string | null = null;
    let origin = '';
    {
      await using simulator = await startSimulator();
      origin = simulator.origin;
      text = await read(origin, home.path);
    }
    // The platform is gone.
    assert.equal(await read(origin, home.path), text);
    const unreachable = { code: 'PLATFORM_TIMEOUT', message: /cannot be reached from here: .steno doctor/ };
    await assert.rejects(read(origin, null), unreachable);

    const [file = ''] = await readdir(join(home.path, 'transcripts'));
    await writeFile(join(home.path, 'transcripts', file), '{"format": 1, "vid');
    await assert.rejects(read(origin, home.path));
  });

  it('says which track is the default, and lists videos as the API does', async () => {
    await using simulator = await startSimulator();
    const settings = loadSettings({ PLATFORM_ORIGIN: simulator.origin });
    await using reader = await openLocalReader(settings, { logger: silentLogger, signal, folder: null });
    const tracks = await reader.listTracks('lighthouse1');
    const kinds = tracks.map((track) => [track.kind, track.default]);
    assert.deepEqual(kinds, [
      ['manual', true],
      ['automatic', false],
    ]);
    const list = { kind: 'channel', reference: '@harbournotes', limit: 1 } as const;
    const { videos, hasMore } = await reader.listVideos(list);
    const [video] = videos;
    assert.deepEqual([videos.length, hasMore], [1, true]);
    assert.equal(video?.url, `https://www.youtube.com/watch?v=${video?.video_id}`);
  });

  it('keeps a bounded number of videos', async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), 'steno-home-'));
    for (let at = 0; at < 510; at += 1) await writeFile(join(home.path, `${at}.json`), '');
    {
      await using cache = fileTranscriptCache(home.path, null);
      const video = { videoId: 'lighthouse1', title: null, channel: null, channelId: null };
      const known = { video: { ...video, durationS: null, isLive: false }, tracks: [] };
      await cache.save({ ...known, defaultTrackId: null, fetchedAt: '2026-11-23T00:00:00Z' }, null);
    }
    const names = await readdir(home.path);
    assert.equal(names.length, 500);
    assert.ok(names.includes('lighthouse1.json'));
  });

  it('leaves nothing in the working folder, and works where nothing can be written', async () => {
    await using simulator = await startSimulator();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-get-'));
    const platform = { PLATFORM_ORIGIN: simulator.origin };
    const home = join(folder.path, 'home');
    const here = join(folder.path, 'here');
    await mkdir(here);
    const line = ['get', 'lighthouse1'];
    const done = await runProgram(line, { ...platform, HOME: home }, { cwd: here });
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(await readdir(here), []);
    assert.deepEqual(await readdir(join(home, '.steno')), ['transcripts']);
    const readOnly = await runProgram(line, { ...platform, HOME: '/proc' }, { cwd: '/proc' });
    assert.deepEqual([readOnly.code, readOnly.stdout], [0, done.stdout], readOnly.stderr);
  });
});

describe('an empty folder', () => {
  it('holds nothing, which every command reports except those that create something', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-empty-'));
    const lines = ['account list', 'verify', 'backup -', 'migrate --dry-run', 'jobs watch job_1'];
    const ended = await Promise.all(
      lines.map((line) => runProgram(line.split(' '), { DATA_DIR: join(folder.path, 'data') })),
    );
    for (const { code, stderr } of ended) {
      assert.equal(code, 5);
      assert.match(stderr, /^steno: There is no database in .*data\. /);
    }
    const doctor = await runProgram(['doctor'], { DATA_DIR: join(folder.path, 'data') });
    assert.match(doctor.stdout, /database +none yet: the first start creates one in/);
    assert.deepEqual(await readdir(folder.path), []);
  });
});
