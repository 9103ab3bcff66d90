/** Every request and the bytes of its answer, as text. None of it is treated as markup. */

/** Exchanges kept, and characters shown of one answer. */
const MAX_KEPT = 20;
const MAX_SHOWN = 200_000;

export function createExchanges({ select, request, response, send, text }) {
  const kept = [];
  let count = 0;
  let shown = null;

  function show(exchange) {
    shown = exchange;
    request.textContent = exchange.request;
    response.textContent = exchange.response;
  }

  function begin(url, init) {
    const exchange = { number: (count += 1), request: describe(url, init), response: '' };
    kept.push(exchange);
    if (kept.length > MAX_KEPT) kept.shift();
    select.replaceChildren(
      ...kept.map(({ number }) =>
        Object.assign(document.createElement('option'), { value: number, textContent: text.exchangeNumber(number) }),
      ),
    );
    select.value = exchange.number;
    select.disabled = false;
    show(exchange);
    return exchange;
  }

  function add(exchange, piece) {
    const room = MAX_SHOWN - exchange.response.length;
    if (room <= 0 || !piece) return;
    exchange.response += piece.slice(0, room);
    if (exchange !== shown) return;
    const atEnd = response.scrollHeight - response.scrollTop - response.clientHeight < 8;
    response.append(piece.slice(0, room));
    if (atEnd) response.scrollTop = response.scrollHeight;
  }

  /** The same response; what passes is noted first, for whoever reads it may close it at the last word. */
  function noted(exchange, answer) {
    if (!answer.body) return answer;
    const decoder = new TextDecoder();
    const note = new TransformStream({
      transform(bytes, controller) {
        add(exchange, decoder.decode(bytes, { stream: true }));
        controller.enqueue(bytes);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(note), { status, statusText, headers });
  }

  select.addEventListener('change', () => {
    const exchange = kept.find(({ number }) => String(number) === select.value);
    if (exchange) show(exchange);
  });

  return {
    /** For the widget's `fetch`: does what `fetch` does, and notes what passes. */
    async fetch(url, init) {
      const exchange = begin(url, init);
      const answer = await send(url, init);
      add(exchange, `HTTP ${answer.status} ${answer.headers.get('content-type') ?? ''}\n\n`);
      return noted(exchange, answer);
    },
  };
}

function describe(url, { body = '' } = {}) {
  const { pathname, search } = new URL(url, location.href);
  return `POST ${pathname}${search}\n\n${pretty(body)}`;
}

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return String(body);
  }
}
