import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clean } from '#src/transcripts/clean.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';
import { cuesOf } from './sample-transcript.ts';

const cleaned = (text: string): string =>
  clean(cuesOf(text))
    .map((cue) => cue.text)
    .join('|');

const check = (cases: Readonly<Record<string, string>>): void => {
  for (const [text, wanted] of Object.entries(cases)) assert.equal(cleaned(text), wanted, text);
};

describe('clean', () => {
  it('passes the agreed cases', { skip: recordingsMissing }, () => {
    const { cases }: { cases: { in: string; out: string }[] } = JSON.parse(recording('formats/clean/clean-cases.json'));
    assert.ok(cases.length > 30);
    for (const { in: text, out } of cases) assert.equal(cleaned(text), out, text);
  });

  it('removes music and sounds in many languages', () => {
    for (const cue of [
      '[Music]',
      '[MUSIC PLAYING]',
      '(intense dramatic music)',
      '(tires screeching)',
      '[Applause]',
      '(laughs)',
      '[ Laughter ]',
      '(applause and cheering)',
      '[Musik]',
      '(lacht)',
      '[Música]',
      '(risas)',
      '[Applausi]',
      '[Musique]',
      '[muziek]',
      '[śmiech]',
      '[Музыка]',
      '(смеётся)',
      '[müzik]',
      '[موسيقى]',
      '(ضحك)',
      '[צחוק]',
      '[संगीत]',
      '[เสียงหัวเราะ]',
      '(vỗ tay)',
      '[음악]',
      '[박수]',
      '（笑）',
      '[拍手と歓声]',
      '【音楽】',
      '[音乐]',
      '（掌聲）',
      '[μουσική]',
    ])
      assert.equal(cleaned(cue), '', cue);
  });

  it('removes them from a sentence and closes the gap', () => {
    check({
      'and then (bell ringing) the break began': 'and then the break began',
      'Really (laughs)?': 'Really?',
      'a [Music] b [Applause] c': 'a b c',
      'こんにちは(笑)さようなら': 'こんにちはさようなら',
      'مرحبا [موسيقى] بالعالم': 'مرحبا بالعالم',
      '[Музыка] Привет': 'Привет',
      'hello\n(laughs)\nworld': 'hello\nworld',
      '[indistinct chatter] Hello': 'Hello',
      '[wind howling] Hello': 'Hello',
      'hello, [music], world': 'hello, world',
    });
  });

  it('removes the mark of a speaker who only makes a sound in a line of two', () => {
    check({
      '- (laughs) - Why?': '- Why?',
      '- Why? - [laughs]': '- Why?',
      '>> [laughter] >> Yes.': '>> Yes.',
      'no - (laughs) really': 'no - really',
    });
  });

  it('removes them inside the direction marks around right-to-left captions', () => {
    check({
      '\u202b[موسيقى]\u202c': '',
      '\u202b[רוח נושבת]\u202c': '',
      '\u2067♪\u2069': '',
      '\u200f[תופים]': '',
      '\u202b[موسيقى] أهلا بكم\u202c': '\u202bأهلا بكم\u202c',
      '\u202bأهلا بكم [موسيقى]\u202c': '\u202bأهلا بكم\u202c',
      '\u202b♪ أهلا ♪\u202c': '\u202bأهلا\u202c',
    });
  });

  it('keeps lyrics and removes only the notes', () => {
    check({
      '♪ Oh, row me home ♪': 'Oh, row me home',
      '🎵 la la 🎶': 'la la',
      '<i>♪ hello ♪</i>': '<i>hello</i>',
      '[♪♪♪]': '',
      '(♪ upbeat music ♪)': '',
      'F♯ minor': 'F♯ minor',
    });
  });

  it('removes cues of continuing music with the notes', () => {
    check({
      '♪～': '',
      '〜♪': '',
      '♪ ... ♪': '',
      '♪ — ♪': '',
      '(♪～)': '',
      '♪〜 夢を見る 〜♪': '夢を見る',
      '（歌声）♪～': '',
      '♪ 長い〜♪': '長い〜',
      '♪~la~♪': '~la~',
      'but ... ♪ la': 'but ... la',
      '...': '...',
      '～': '～',
    });
  });

  it('keeps brackets that mean something', () => {
    for (const text of [
      '[sic]',
      '(2019)',
      '[ __ ] you',
      'x[i] = f(y)',
      'f(laughs)',
      '[x = 1]',
      '[ ]',
      'the film (music by Max) was long',
      '(I never said that)',
      '[Guten Morgen, sagte er.]',
      'so [inaudible] then',
      '(in French) Bonjour',
      'Chorus (x2)',
      'hello (world) and [friends]',
      ':( and :)',
      '1) first',
    ])
      assert.equal(cleaned(text), text);
  });

  it('treats a line in brackets of up to six words that end no sentence as a cue', () => {
    check({
      '[one two three four five six]': '',
      '[one two three four five six seven]': '[one two three four five six seven]',
      '[nobody knows.]': '[nobody knows.]',
      '[nobody. knows]': '',
      '[SIC]': '[SIC]',
      '[so sic it is]': '',
      '(doors of steel)': '(doors of steel)',
      '(steel door closing)': '',
      '<i>[somebody speaks]</i>': '',
    });
  });

  it('keeps speaker marks, drops speaker labels in brackets, and drops marks without a speaker', () => {
    check({
      '>> MAN: hi': '>> MAN: hi',
      '>> [MAN]: hi': '>> hi',
      '[NARRATOR] Once': 'Once',
      '[Speaker 2]: hi': 'hi',
      '>> [Applause]': '',
      '- [Music]': '',
    });
  });

  it('leaves out cues that end up empty, and never touches a time', () => {
    const cues = cuesOf('one', '[Music]', '♪', '\u200b', 'two ♪');
    assert.deepEqual(clean(cues), [{ ...cues[0] }, { text: 'two', startMs: cues[4]?.startMs, endMs: cues[4]?.endMs }]);
  });

  it('handles a line as long as a document', () => {
    const count = 100_000;
    check({
      [`${'♪ '.repeat(count)}x`]: 'x',
      [`${'[Music]'.repeat(count)}x`]: 'x',
      [`x ${'[1] '.repeat(count)}y`]: `x ${'[1] '.repeat(count)}y`,
    });
  });

  it('is idempotent', () => {
    const parts = fc.constantFrom(
      ...['[', ']', '(', ')', '♪', ' ', 'music', 'word', '>>', '\n', 'laughs', '<i>', '</i>', ':', '笑', '[Music]'],
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (all) => {
        const once = clean(cuesOf(all.join('')));
        assert.deepEqual(clean(once), once);
      }),
      { seed: 11, numRuns: 1000 },
    );
  });
});
