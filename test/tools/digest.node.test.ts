import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson, digestCall, sha256 } from '../../src/tools/digest.js';
import { sha256Bytes } from '../../src/tools/sha256.js';

const withoutPlatform = (text: string) => Buffer.from(sha256Bytes(new TextEncoder().encode(text))).toString('hex');

describe('canonical JSON', () => {
  it('sorts keys at every depth, leaves out blanks and says what JSON says', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: '\n"' })).to.equal('{"a":"\\n\\"","b":[{"c":null,"d":1}]}');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).to.equal(canonicalJson(value));
      }),
    );
  });
});

describe('the digest of a call', () => {
  it('is SHA-256, with and without the platform’s own', async () => {
    const known = ['ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'];
    known.push('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect([await sha256('abc'), await sha256('')]).to.deep.equal(known);
    // Lengths around the borders of a block, where padding goes wrong.
    const lengths = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 1000];
    const texts = lengths.map((length) => 'ä'.repeat(length / 2) + 'x'.repeat(length % 2));
    for (const text of [...texts, 'abc', '👋 end']) expect(withoutPlatform(text), text).to.equal(await sha256(text));
  });

  it('changes with the tool and with any argument', async () => {
    const digest = await digestCall('pay', { to: 'a', amount: 1 });
    expect(digest).to.match(/^[0-9a-f]{64}$/);
    expect(await digestCall('pay', { amount: 1, to: 'a' })).to.equal(digest);
    for (const amount of [2, '1']) expect(await digestCall('pay', { amount, to: 'a' })).not.to.equal(digest);
    expect(await digestCall('pay2', { amount: 1, to: 'a' })).not.to.equal(digest);
  });
});
