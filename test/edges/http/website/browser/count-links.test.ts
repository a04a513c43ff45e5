import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countLinks } from '#src/edges/http/website/browser/count-links.ts';

describe('the links of a text', () => {
  it('are counted by browsers that have no URL.parse', () => {
    const { parse } = URL;
    Reflect.deleteProperty(URL, 'parse');
    try {
      const list = ['https://youtu.be/dQw4w9WgXcQ', 'https://www.youtube.com/@harbournotes', 'https://youtu.be/?%'];
      assert.deepEqual(countLinks(list.join('\r\n')), { valid: 2, duplicate: 0, invalid: 1 });
    } finally {
      URL.parse = parse;
    }
  });

  it('are the same wherever the texts differ in form alone, and lines without a text are not counted', () => {
    const video = ['dQw4w9WgXcQ', ' https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLabcdefghijk ', '', ' '];
    const channel = ['@harbournotes', 'youtube.com/@harbournotes/videos'];
    const playlist = ['PLabcdefghijk', 'https://www.youtube.com/playlist?list=PLabcdefghijk'];
    const list = [...video, ...channel, ...playlist].join('\n');
    assert.deepEqual(countLinks(list), { valid: 3, duplicate: 3, invalid: 0 });
  });
});
