/** Overlays of a panel in the gallery are opened as a user would open them: press by press, each on the result of the one before. */

/** @param selectors of what is pressed, through open shadow roots */
export async function press(panel, selectors) {
  for (const selector of selectors) {
    let target;
    for (let tries = 0; !target && tries < 300; tries += 1) {
      await new Promise(requestAnimationFrame);
      target = deep(panel, selector);
    }
    if (!target) throw new Error(`Nothing fits ${selector}.`);
    target.click();
  }
}

function deep(element, selector) {
  const root = element.shadowRoot;
  if (!root) return undefined;
  const found = root.querySelector(selector);
  if (found) return found;
  for (const inner of root.querySelectorAll('*')) {
    const one = deep(inner, selector);
    if (one) return one;
  }
  return undefined;
}

/** Has the panel offer its ways to history and menu. */
export const withDoors = {
  conversations: { kept: true, newConversation: () => Promise.resolve(), list: () => Promise.resolve([]) },
  files: { export: () => Promise.resolve({}), import: () => Promise.resolve(), clear: () => Promise.resolve() },
};
