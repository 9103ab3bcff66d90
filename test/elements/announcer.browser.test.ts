/** The one voice of the panel, by itself. */
import { expect } from '@open-wc/testing';
import { Announcer } from '../../src/elements/tool-chat-panel/announcer.js';
import { until } from './helpers.js';

const numbers = Array.from({ length: 30 }, (_, at) => `Sentence ${String(at + 1)}.`);

/** A region, what the platform was given, and how often the region changed. */
function stage(takesSentences: boolean) {
  const given: string[] = [];
  const region = document.createElement('div');
  // Where the browser has it, it is covered: nothing is to be said by the platform of the test.
  Object.defineProperty(region, 'ariaNotify', { value: takesSentences ? (text: string) => void given.push(text) : undefined });
  document.body.append(region);
  const sizes: number[] = [];
  const observer = new MutationObserver(() => sizes.push(region.childElementCount));
  observer.observe(region, { childList: true });
  const announcer = new Announcer(region);
  const done = () => {
    announcer.disconnect();
    observer.disconnect();
    region.remove();
  };
  return { announcer, region, given, sizes, done, lines: () => [...region.children].map(({ textContent }) => textContent) };
}

describe('the announcer', () => {
  it('gives a platform that queues sentences all of an answer at once, in order, and changes the page once for it', async () => {
    const { announcer, region, given, sizes, lines, done } = stage(true);
    try {
      announcer.sayAll(numbers.join(' '), 'en');
      await until(() => sizes.length > 0, 'nothing is said');
      expect(given).to.deep.equal(numbers);
      expect(region.getAttribute('aria-live')).to.equal('off');
      expect(lines()).to.deep.equal(numbers.slice(-12));
      expect(sizes).to.deep.equal([12]);
      announcer.say('One more.');
      await until(() => sizes.length > 1, 'what comes later is not said');
      expect([given.at(-1), lines().at(-1)]).to.deep.equal(['One more.', 'One more.']);
    } finally {
      done();
    }
  });

  it('writes one sentence after the other where a live region is all there is', async () => {
    const { announcer, region, sizes, lines, done } = stage(false);
    try {
      expect(region.getAttribute('aria-live')).to.equal('polite');
      announcer.sayAll('One. Two. Three.', 'en');
      await until(() => sizes.length === 3, 'three sentences are not said');
      expect(sizes).to.deep.equal([1, 2, 3]);
      expect(lines()).to.deep.equal(['One.', 'Two.', 'Three.']);
    } finally {
      done();
    }
  });
});
