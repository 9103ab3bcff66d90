/** A fake endpoint: answers any request with an event stream that the benchmark feeds token by token. */
export function fakeEndpoint() {
  const encoder = new TextEncoder();
  let stream;
  let asked;
  const started = new Promise((resolve) => (asked = resolve));
  const frame = (data) => stream.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(data)}\n\n`));
  return {
    /** Resolves when the request is there and tokens can be sent. */
    started,
    async fetch() {
      const body = new ReadableStream({ start: (controller) => (stream = controller) });
      asked();
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
    push: (content) => frame({ type: 'text', content }),
    end() {
      frame({ type: 'done' });
      stream.close();
    },
  };
}
