/** The pictures of the statecharts: all that is in the machines, and nothing that sticks out. */
import { expect } from 'chai';
import type { AnyStateNode } from 'xstate';
import { picturesOf, withPictures } from '../../.config/statechart-picture.js';
import { charts, rowsOf } from '../../.config/statechart-source.js';
import { page } from './pages.js';

const below = (node: AnyStateNode): AnyStateNode[] => Object.values(node.states).flatMap((child) => [child, ...below(child)]);
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

describe('the pictures of the statecharts', () => {
  for (const [name, machine] of charts) {
    const svgs = picturesOf(name, machine).map(({ svg }) => svg);
    const texts = svgs.flatMap((svg) => [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text = '']) => unescaped(text)));

    it(`show each state of ${name}, and all that leads out of it`, () => {
      const regions = new Set(below(machine.root).filter(({ parent }) => parent?.type === 'parallel'));
      for (const node of below(machine.root)) {
        // A region is a picture of its own, and its name the title.
        if (!regions.has(node)) expect(texts, node.id).to.include(node.key);
        for (const { event, guard, targets } of rowsOf(node)) {
          expect(regions.has(node), 'what leads out of a region has no place').to.equal(false);
          expect(texts.join(' '), node.id).to.contain(`${event}${guard && ` [${guard}]`}`);
          for (const { key } of targets) expect(texts.some((text) => text.startsWith('→') && text.endsWith(key))).to.equal(true);
        }
      }
    });
  }

  it('stand in the page where it has Mermaid, which stays as text', async () => {
    const text = withPictures(await page('docs/architecture.md'));
    expect(text.match(/<svg class="statechart"/g)).to.have.length.above(5);
    expect(text.match(/```mermaid/g)).to.have.length(charts.length);
    expect(() => withPictures('nothing')).to.throw('no place');
  });
});
