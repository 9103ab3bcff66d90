/**
 * A shop of three pages, and one request that goes on across them. Each page is loaded anew; what was said and done is kept
 * (`storage="indexeddb"`), and a call that takes the person to another page is finished there: `open_page` says that it may run again
 * (`idempotent`), so the next page runs it once more, finds itself open, and the model hears it and goes on. Paying is never repeated.
 */
import { element, icon, reconcile } from './dom.js';
import { openPage } from './frame.js';
import { createKept } from './kept.js';

const SHOP = ['/shop', '/shop-basket', '/shop-order'];
const PLACES = { shelves: '/shop', basket: '/shop-basket', order: '/shop-order' };

const en = {
  title: 'Tea shop',
  intro:
    'Ask for something, and watch the assistant move from page to page: shelves, basket, order. Each page is a full load, and the request continues.',
  steps: 'Pages of the shop',
  stepNames: ['Shelves', 'Basket', 'Order'],
  assistant: 'Shop assistant',
  placeholder: 'What would you like?',
  quickCommands: ['Buy 2 green tea', 'Buy honey'],
  systemPrompt: 'You help in a tea shop: into the basket, to the basket page, then to the order page, and place the order.\n\n{{tools}}',
  products: ['Green tea', 'Black tea', 'Honey', 'Teapot', 'Cup', 'Biscuits'],
  toBasket: 'Add',
  addTo: (name) => `Add ${name} to the basket`,
  drop: (name) => `Take ${name} out`,
  basket: 'Your basket',
  order: 'Your order',
  empty: 'The basket is empty.',
  total: (sum) => `Total ${sum}`,
  toOrder: 'To the order',
  place: 'Place the order',
  orders: 'Placed orders',
  noOrders: 'None yet.',
  orderLine: (number, sum) => `Order ${number} · ${sum}`,
  addTool: ['Add to basket', 'Adds a product to the basket.'],
  openTool: ['Open page', 'Opens another page of the shop.'],
  readTool: ['Read basket', 'Reads what is in the basket.'],
  placeTool: ['Place order', 'Places the order for what is in the basket.'],
  product: 'Name of the product',
  quantity: 'How many; 1 if not given',
  page: 'shelves, basket or order',
  added: (name, quantity) => `${quantity} × ${name} is in the basket`,
  unknown: (name) => `There is no “${name}” here`,
  isOpen: (name) => `The page is open: ${name}`,
  openSentence: (name) => `Go to: ${name}`,
  addSentence: (name, quantity) => `Put ${quantity} × ${name} into the basket`,
  placeSentence: (sum) => `Place the order for ${sum}`,
  placed: (number, sum) => `Order ${number} is placed: ${sum}`,
  verbs: { allow: 'Order and pay', deny: 'Not now' },
  comma: ', ',
};

const zh = {
  title: '茶铺',
  intro: '说出想要的东西，看助手一路走过去：货架、购物篮、下单。每个页面都重新加载，请求却一直继续。',
  steps: '商店的页面',
  stepNames: ['货架', '购物篮', '下单'],
  assistant: '店员助手',
  placeholder: '想要点什么？',
  quickCommands: ['买2盒绿茶', '买1罐蜂蜜'],
  systemPrompt: '你在茶铺帮忙：放进购物篮，打开购物篮页面，再打开下单页面，然后下单。\n\n{{tools}}',
  products: ['绿茶', '红茶', '蜂蜜', '茶壶', '茶杯', '饼干'],
  toBasket: '加入',
  addTo: (name) => `把${name}放进购物篮`,
  drop: (name) => `拿出${name}`,
  basket: '购物篮',
  order: '订单',
  empty: '购物篮是空的。',
  total: (sum) => `合计 ${sum}`,
  toOrder: '去下单',
  place: '下单',
  orders: '已下的订单',
  noOrders: '还没有。',
  orderLine: (number, sum) => `订单 ${number} · ${sum}`,
  addTool: ['放进购物篮', '把一件商品放进购物篮。'],
  openTool: ['打开页面', '打开商店的另一个页面。'],
  readTool: ['查看购物篮', '读取购物篮里的商品。'],
  placeTool: ['下单', '为购物篮里的商品下单。'],
  product: '商品名称',
  quantity: '数量，省略则为 1',
  page: 'shelves（货架）、basket（购物篮）或 order（下单）',
  added: (name, quantity) => `${quantity} × ${name} 已在购物篮里`,
  unknown: (name) => `这里没有「${name}」`,
  isOpen: (name) => `页面已打开：${name}`,
  openSentence: (name) => `前往：${name}`,
  addSentence: (name, quantity) => `把 ${quantity} × ${name} 放进购物篮`,
  placeSentence: (sum) => `下单，合计 ${sum}`,
  placed: (number, sum) => `订单 ${number} 已下：${sum}`,
  verbs: { allow: '下单并付款', deny: '暂不' },
  comma: '、',
};

const { lang, text } = openPage({
  texts: { en, zh },
  sources: ['shop.html', 'shop-basket.html', 'shop-order.html', 'shop.js', 'kept.js', 'frame.js'],
  at: '/shop',
});
const here = `/${document.body.dataset.shop}`;
const products = text.products.map((name, at) => ({
  name,
  price: [4.5, 4, 6.2, 24, 7.5, 3.1][at],
  picture: ['🍵', '🍂', '🍯', '🫖', '☕\uFE0F', '🍪'][at],
}));
const find = (name) => {
  const wanted = name.trim().toLowerCase();
  return products.find((product) => product.name.toLowerCase() === wanted || wanted.includes(product.name.toLowerCase()));
};
const money = (sum) => new Intl.NumberFormat(lang, { style: 'currency', currency: 'EUR' }).format(sum);
const nameOf = (page) => text.stepNames[Object.keys(PLACES).indexOf(page)] ?? page;

/** `{ basket: { name: quantity }, orders: [{ number, sum }] }`, the same on all three pages. */
const kept = createKept(`shop-${lang}`, () => ({ basket: {}, orders: [] }));
const lines = () =>
  products.filter(({ name }) => kept.read().basket[name]).map((product) => ({ ...product, quantity: kept.read().basket[product.name] }));
const total = () => lines().reduce((sum, { price, quantity }) => sum + price * quantity, 0);

function put(name, quantity) {
  const now = kept.read();
  kept.write({ ...now, basket: { ...now.basket, [name]: quantity } });
}

/** Twice with the same key is one order: what a real shop's server does with `Idempotency-Key`. */
function placeOrder(key) {
  const now = kept.read();
  const before = now.orders.find((order) => order.key === key);
  if (before) return before;
  const order = { key, number: 1001 + now.orders.length, sum: total() };
  kept.write({ basket: {}, orders: [...now.orders, order] });
  return order;
}

// --- The assistant: what it can do depends on the page -------------------------------------------------------------------

const assistant = document.querySelector('#assistant');
assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', text.systemPrompt);

/** On a phone the chat floats: it stands open where the assistant has just come from another page. */
const ON_THE_WAY = 'tool-chat-demo:on-the-way';
if (sessionStorage.getItem(ON_THE_WAY)) assistant.setAttribute('open', '');
sessionStorage.removeItem(ON_THE_WAY);

const object = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false });

const openPageTool = {
  name: 'open_page',
  label: text.openTool[0],
  description: text.openTool[1],
  icon: '🚪',
  risk: 'query',
  // May run again: on the page it leads to there is nothing left to do.
  idempotent: true,
  parameters: object({ page: { type: 'string', enum: Object.keys(PLACES), description: text.page } }, ['page']),
  describeCall: ({ page }) => text.openSentence(nameOf(page)),
  execute({ page }) {
    if (PLACES[page] === here) return { success: true, message: text.isOpen(nameOf(page)) };
    sessionStorage.setItem(ON_THE_WAY, page);
    location.assign(`${PLACES[page]}?lang=${lang}`);
    // Answered by the next page: this one is going.
    return new Promise(() => {});
  },
};

const addTool = {
  name: 'add_to_basket',
  label: text.addTool[0],
  description: text.addTool[1],
  icon: '🧺',
  risk: 'write',
  parameters: object(
    {
      product: { type: 'string', maxLength: 80, description: text.product },
      quantity: { type: 'integer', minimum: 1, maximum: 20, description: text.quantity },
    },
    ['product'],
  ),
  describeCall: ({ product, quantity = 1 }) => text.addSentence(find(product)?.name ?? product, quantity),
  execute({ product, quantity = 1 }) {
    const found = find(product);
    if (!found) return { success: false, message: text.unknown(product), errorType: 'empty_result' };
    put(found.name, (kept.read().basket[found.name] ?? 0) + quantity);
    return { success: true, message: text.added(found.name, quantity), data: { name: found.name, quantity } };
  },
  async undo({ data }) {
    put(data.name, Math.max(0, (kept.read().basket[data.name] ?? 0) - data.quantity));
  },
};

const readTool = {
  name: 'read_basket',
  label: text.readTool[0],
  description: text.readTool[1],
  icon: '📋',
  risk: 'query',
  parameters: object({}),
  execute() {
    const told = lines().map(({ name, quantity }) => `${quantity} × ${name}`);
    if (told.length === 0) return { success: true, message: text.empty, errorType: 'empty_result' };
    return { success: true, message: `${told.join(text.comma)} · ${text.total(money(total()))}` };
  },
};

const placeTool = {
  name: 'place_order',
  label: text.placeTool[0],
  description: text.placeTool[1],
  icon: '💳',
  risk: 'danger',
  verbs: text.verbs,
  parameters: object({}),
  describeCall: () => text.placeSentence(money(total())),
  preview: () => lines().map(({ name, quantity, price }) => ({ label: name, after: `${quantity} × ${money(price)}` })),
  // After a crash in mid-order: the shop's own list knows.
  verify: async (_, { requestId }) => (kept.read().orders.some(({ key }) => key === requestId) ? 'done' : 'not-done'),
  execute(_, { requestId }) {
    if (lines().length === 0) return { success: false, message: text.empty, errorType: 'empty_result' };
    const { number, sum } = placeOrder(requestId);
    return { success: true, message: text.placed(number, money(sum)) };
  },
};

const tools = { '/shop': [addTool], '/shop-basket': [readTool], '/shop-order': [placeTool] }[here];
(window.toolChat ??= []).push((chat) => {
  for (const tool of [openPageTool, ...tools]) chat.registerTool(tool);
});

// --- The pages themselves ------------------------------------------------------------------------------------------------

document.querySelector('#steps').append(
  ...SHOP.map((path, at) => {
    const link = element('a', { href: `${path}?lang=${lang}`, 'data-nth': String(at + 1) }, text.stepNames[at]);
    if (path === here) link.setAttribute('aria-current', 'step');
    return link;
  }),
);

const shelves = document.querySelector('#shelves');
shelves?.append(
  ...products.map(({ name, price, picture }) => {
    const add = element('button', { class: 'button quiet', type: 'button', 'aria-label': text.addTo(name) }, text.toBasket);
    add.addEventListener('click', () => put(name, (kept.read().basket[name] ?? 0) + 1));
    return element(
      'li',
      {},
      element('span', { class: 'picture', 'aria-hidden': 'true' }, picture),
      element('span', { class: 'name' }, name),
      element('span', { class: 'price' }, money(price)),
      add,
    );
  }),
);

kept.listen(() => {
  const { orders, basket } = kept.read();
  const pieces = Object.values(basket).reduce((sum, quantity) => sum + quantity, 0);
  document.querySelectorAll('#steps a')[1].textContent = `${text.stepNames[1]}${pieces > 0 ? ` (${pieces})` : ''}`;
  const rows = document.querySelector('#basket');
  if (rows) {
    reconcile(rows, lines(), {
      key: ({ name }) => name,
      create({ name }) {
        const drop = element('button', { class: 'drop', type: 'button', 'aria-label': text.drop(name) }, icon('close'));
        drop.addEventListener('click', () => put(name, 0));
        return element('li', {}, element('span', { class: 'grow name' }, name), element('span', { class: 'price' }), drop);
      },
      update: (row, { quantity, price }) => (row.querySelector('.price').textContent = `${quantity} × ${money(price)}`),
    });
    document.querySelector('#empty').hidden = lines().length > 0;
    document.querySelector('#total').textContent = text.total(money(total()));
  }
  const placed = document.querySelector('#orders');
  if (placed) {
    placed.replaceChildren(
      ...orders
        .toReversed()
        .map(({ number, sum }) => element('li', {}, element('span', { class: 'name' }, text.orderLine(number, money(sum))))),
    );
    document.querySelector('#no-orders').hidden = orders.length > 0;
    document.querySelector('#place').disabled = lines().length === 0;
  }
});

const onward = document.querySelector('#onward');
if (onward) onward.href = `/shop-order?lang=${lang}`;
document.querySelector('#place')?.addEventListener('click', () => placeOrder(crypto.randomUUID()));
