import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson, digestCall, sha256 } from '../../src/tools/digest.js';
import { sha256Bytes } from '../../src/tools/sha256.js';

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

describe('canonical JSON', () => {
  it('sorts keys at every depth and leaves out blanks', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: '\n"' })).to.equal('{"a":"\\n\\"","b":[{"c":null,"d":1}]}');
  });

  it('says what JSON says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).to.equal(canonicalJson(value));
      }),
    );
  });
});

describe('the digest of a call', () => {
  it('is the published one for known texts', async () => {
    expect(await sha256('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hex(sha256Bytes(new TextEncoder().encode('abc')))).to.equal(await sha256('abc'));
    expect(await sha256('')).to.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('is the same with and without the platform’s SHA-256', async () => {
    // Lengths around the borders of a block, where padding goes wrong.
    for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 1000]) {
      const text = 'ä'.repeat(length / 2) + 'x'.repeat(length % 2);
      expect(hex(sha256Bytes(new TextEncoder().encode(text))), String(length)).to.equal(await sha256(text));
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        expect(hex(sha256Bytes(new TextEncoder().encode(text)))).to.equal(await sha256(text));
      }),
    );
  });

  it('changes with the tool and with any argument', async () => {
    const digest = await digestCall('pay', { to: 'a', amount: 1 });
    expect(digest).to.match(/^[0-9a-f]{64}$/);
    expect(await digestCall('pay', { amount: 1, to: 'a' })).to.equal(digest);
    expect(await digestCall('pay', { amount: 2, to: 'a' })).not.to.equal(digest);
    expect(await digestCall('pay', { amount: '1', to: 'a' })).not.to.equal(digest);
    expect(await digestCall('pay2', { amount: 1, to: 'a' })).not.to.equal(digest);
  });
});
