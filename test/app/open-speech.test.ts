import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openSpeech } from '#src/app/open-speech.ts';
import { loadConfig } from '#src/config.ts';
import { type AiProvider, spoken, startAiProvider } from '#test/support/ai-provider.ts';
import { silentLogger, testSecret } from '#test/support/app.ts';

const audio = { bytes: Buffer.from([0x80, 0xff, 0x00]), mediaType: 'audio/mp4', durationS: 12 };

describe('speech recognition by a provider', () => {
  let provider: AiProvider;
  before(async () => {
    provider = await startAiProvider();
  });
  after(() => provider[Symbol.asyncDispose]());
  beforeEach(() => provider.reset());

  const opened = async (environment: Readonly<Record<string, string>> = {}) => {
    const config = loadConfig({
      SECRET_KEY: testSecret,
      DATABASE_URL: 'postgres://localhost/none',
      OPENAI_BASE_URL: provider.url,
      AI_TRANSCRIPTION_MODEL: 'hears',
      ...environment,
    });
    return await openSpeech(config, silentLogger);
  };
  const heard = async (signal = AbortSignal.timeout(60_000)) => {
    const recognize = await opened();
    assert.ok(recognize);
    return await recognize(audio, { signal });
  };

  it('does not exist without a model', async () => {
    assert.equal(await opened({ AI_TRANSCRIPTION_MODEL: '' }), null);
  });

  it('uses the times of the provider, and its language name as a code', async () => {
    const speech = await heard();
    assert.equal(speech?.language, 'en');
    assert.deepEqual(speech?.lines[1], { ...{ text: ` ${spoken[1]}`, startMs: 4_000, durationMs: 3_500 } });
  });

  it('spreads a text without times over the video, sentence by sentence', async () => {
    provider.reset('no_response_format');
    const speech = await heard();
    assert.equal(speech?.language, 'en');
    assert.deepEqual(
      speech?.lines.map(({ text }) => text.trim()),
      [...spoken],
    );
    const last = speech?.lines.at(-1);
    assert.equal(Math.round((last?.startMs ?? 0) + (last?.durationMs ?? 0)), 12_000);
  });

  it('gives nothing when the provider fails', async () => {
    for (const mode of ['500', 'quota', 'html'] as const) {
      provider.reset(mode);
      assert.equal(await heard(), null, mode);
    }
  });

  it('is aborted by its signal when the provider hangs', async () => {
    provider.reset('hang');
    await assert.rejects(heard(AbortSignal.timeout(100)), { name: 'TimeoutError' });
  });
});
