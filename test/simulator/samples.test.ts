import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generatedId, generatedLines, generatedVideo } from './generated-videos.ts';
import { readSamples, samples } from './samples.ts';

describe('the sample videos', () => {
  const videos = readSamples();

  it('exist for every name in `samples`, with valid ids', () => {
    assert.deepEqual(new Set(Object.values(samples)), new Set(videos.keys()));
    for (const [id, video] of videos) {
      assert.match(id, /^[\w-]{11}$/);
      assert.match(video.channelId, /^UC[\w-]{22}$/, id);
      assert.notEqual(video.about, '', id);
    }
  });

  it('cover seven languages, and one of them is long enough to be summarized', () => {
    const languages = new Set([...videos.values()].flatMap((video) => video.tracks.map((track) => track.language)));
    assert.deepEqual([...languages].sort(), ['ar', 'de', 'en', 'en-GB', 'es', 'ja', 'zh-Hans']);
    const prose = videos.get(samples.prose);
    assert.ok(prose && prose.durationS >= 120);
    const words = prose.tracks[0]?.lines.flatMap(([, , text]) => text.split(' ')) ?? [];
    assert.ok(words.length > 350);
  });

  it('are deterministic if they are generated', () => {
    assert.deepEqual(generatedLines(1566), generatedLines(1566));
    assert.deepEqual(generatedVideo(generatedId('vid', 42)), generatedVideo('vid-0000042'));
    assert.equal(generatedVideo(generatedId('prv', 1))?.state, 'private');
    assert.equal(generatedVideo(generatedId('del', 1))?.state, 'deleted');
    assert.deepEqual(generatedVideo(generatedId('ncp', 1))?.tracks, []);
    assert.equal(generatedVideo('lighthouse1'), undefined);
  });
});
