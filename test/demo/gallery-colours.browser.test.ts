/**
 * Each state of the gallery by the colours that the engine computes: text of 4.5:1, large text and signs of 3:1, in both themes; and where all
 * colours are the person's own, an edge around what can be pressed.
 */
import { expect } from '@open-wc/testing';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { atRest, frame } from '../elements/helpers.js';
import { clear, draw, states, type State } from './gallery-stage.js';
import { faint, force, untold } from './judged-colours.js';

async function settled(panel: ToolChatPanel) {
  await panel.updateComplete;
  await frame();
  await atRest(panel);
}

describe('the colours of the gallery', function () {
  this.timeout(30_000); // of which WebKitGTK takes most

  afterEach(clear);

  for (const state of states)
    it(`${state.title}: text of 4.5:1 and signs of 3:1 in both themes, and all is told where colours are forced`, async () => {
      const panel = await draw(state, {});
      expect(faint(panel), 'light').to.deep.equal([]);
      panel.theme = 'dark';
      await settled(panel);
      expect(faint(panel), 'dark').to.deep.equal([]);
      const undo = await force(panel);
      try {
        await settled(panel);
        expect(untold(panel), 'forced').to.deep.equal([]);
      } finally {
        await undo();
      }
    });

  it('are noticed where they are too faint', async () => {
    const panel = await draw(states[0] as State, {});
    panel.style.setProperty('--tool-chat-color', '#aaa');
    await settled(panel);
    expect(faint(panel)).not.to.deep.equal([]);
  });
});
