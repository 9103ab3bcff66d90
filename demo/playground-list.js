/** A shopping list, and the tools of the page: one that reads the list, one that writes, one that asks first, and one that fails with its stand-in. No server. */
import { reconcile } from './dom.js';

export function createList({ text, items, empty, element, icon }) {
  const quantities = new Map(text.samples.map((name) => [name, 1]));

  const add = (name, quantity = 1) => {
    if (!name) return;
    quantities.set(name, (quantities.get(name) ?? 0) + quantity);
    draw();
  };
  const remove = (name) => {
    const found = quantities.delete(name);
    draw();
    return found;
  };

  function draw() {
    reconcile(items, [...quantities], {
      key: ([name]) => name,
      create([name]) {
        const drop = element('button', { class: 'drop', type: 'button', 'aria-label': text.drop(name) }, icon('close'));
        drop.addEventListener('click', () => remove(name));
        return element('li', {}, element('span', { class: 'name', textContent: name }), element('span', { class: 'quantity' }), drop);
      },
      update(node, [, quantity]) {
        node.querySelector('.quantity').textContent = quantity === 1 ? '' : `× ${quantity}`;
      },
    });
    empty.hidden = quantities.size > 0;
  }
  draw();

  const told = () => [...quantities].map(([name, quantity]) => (quantity === 1 ? name : `${name} × ${quantity}`)).join(text.comma);
  const name = { type: 'string', minLength: 1, maxLength: 80, description: text.parameterName };

  const tools = [
    {
      name: 'add_item',
      description: text.addItem,
      label: text.addItemLabel,
      icon: '🛒',
      risk: 'write',
      parameters: {
        type: 'object',
        properties: { name, quantity: { type: 'integer', minimum: 1, maximum: 99, description: text.parameterQuantity } },
        required: ['name'],
      },
      execute(args) {
        add(args.name, args.quantity);
        return { success: true, message: text.added(args.name, args.quantity ?? 1) };
      },
    },
    {
      name: 'list_items',
      description: text.listItems,
      label: text.listItemsLabel,
      icon: '📋',
      risk: 'query',
      parameters: { type: 'object', properties: {} },
      execute: () => ({ success: true, message: quantities.size > 0 ? text.listed(told()) : text.nothing }),
    },
    {
      name: 'remove_item',
      description: text.removeItem,
      label: text.removeItemLabel,
      icon: '🗑️',
      risk: 'danger',
      parameters: { type: 'object', properties: { name }, required: ['name'] },
      describeCall: (args) => text.removeSentence(args.name),
      execute: (args) =>
        remove(args.name) ? { success: true, message: text.removed(args.name) } : { success: false, message: text.notThere(args.name) },
    },
    {
      name: 'shop_price',
      description: text.shopPrice,
      label: text.shopPriceLabel,
      icon: '🏬',
      risk: 'query',
      fallback: 'usual_price',
      parameters: { type: 'object', properties: { name }, required: ['name'] },
      execute() {
        throw Object.assign(new Error(text.shopClosed), { status: 503 });
      },
    },
    {
      name: 'usual_price',
      description: text.usualPrice,
      label: text.usualPriceLabel,
      icon: '🏷️',
      risk: 'query',
      parameters: { type: 'object', properties: { name }, required: ['name'] },
      execute: (args) => ({ success: true, message: text.usually(args.name) }),
    },
  ];
  return { tools, add };
}
