import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkpointText, parseCheckpoint } from '#src/tlog/checkpoint.ts';
import { emptyRoot } from '#src/tlog/merkle.ts';
import { hasSigned, keyOfSeed, parseNote, parseVkey, signedNote, signerOf } from '#src/tlog/note.ts';

const at = new Date('2026-11-26T12:00:00.000Z');
const text = 'example.org/tlog\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n';

describe('a signed note', () => {
  it('of the documentation of the format is verified', () => {
    const verifier = parseVkey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    const note = parseNote(
      'If you think cryptography is the answer to your problem,\n' +
        "then you don't know what your problem is.\n\n" +
        '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
    );
    assert.ok(verifier !== null && note !== null);
    assert.equal(hasSigned(verifier, note), true);
    assert.equal(hasSigned(verifier, { ...note, text: `${note.text}!\n` }), false);
  });

  it('is signed by the keys that the verifier keys name, as a note and as a cosignature', () => {
    const key = keyOfSeed(Buffer.alloc(32, 7));
    const signers = [signerOf('example.org/tlog', 'note', key), signerOf('w.example/w', 'cosignature', key)];
    const note = parseNote(signedNote(text, signers, at));
    assert.ok(note !== null);
    for (const { verifier } of signers) {
      const again = parseVkey(verifier.vkey);
      assert.ok(again !== null);
      assert.equal(hasSigned(again, note), true);
      assert.equal(hasSigned(again, { ...note, text: text.replace('0', '1') }), false);
    }
    const other = signerOf('example.org/tlog', 'note', keyOfSeed(Buffer.alloc(32, 8))).verifier;
    assert.equal(hasSigned(other, note), false);
  });

  it('is refused where it is malformed', () => {
    for (const broken of [
      ...[
        '',
        'a\n',
        'a\n\n',
        `${text}\n— a\n`,
        `${text}\n- a AAAAAAAA\n`,
        `${text}\n— a AAAA\n`,
        `${text}\n— a+b AAAAAAAA\n`,
      ],
      ...[`${text}\n— a AAAAAAAA`, `${text}\n— a AAAAAAA\n`, `${text}\n${'— a AAAAAAAA\n'.repeat(101)}`],
    ]) {
      assert.equal(parseNote(broken), null, JSON.stringify(broken));
    }
  });

  it('has the id of a key, computed from its name and bytes', () => {
    const { vkey } = signerOf('a', 'note', keyOfSeed(Buffer.alloc(32, 1))).verifier;
    assert.notEqual(parseVkey(vkey), null);
    for (const broken of ['', vkey.replace('a+', 'b+'), `${vkey}A`, vkey.slice(0, -4), 'a+00000000+AQ==']) {
      assert.equal(parseVkey(broken), null, broken);
    }
  });

  it('contains a checkpoint: origin, size and root', () => {
    const checkpoint = { origin: 'example.org/tlog', size: 0, root: emptyRoot };
    assert.equal(checkpointText(checkpoint), text);
    assert.deepEqual(parseCheckpoint(`${text}an extension\n`), checkpoint);
    for (const broken of [
      '',
      'a\n',
      'a\n01\nx\n',
      text.replace('0', '-1'),
      text.replace('0', '1e3'),
      text.replace('47DE', ''),
    ]) {
      assert.equal(parseCheckpoint(broken), null, broken);
    }
  });
});
