/** HTTP by hand, for what `fetch` would not send. */
import { connect, type Socket } from 'node:net';

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}); // a server that hangs up is an answer, too
  return socket;
}

/** Sends these bytes and resolves with all that comes back, once the server has closed or nothing more has come for `quietMs`. */
export function sendRaw(url: string, bytes: string | Buffer, quietMs = 1_500): Promise<string> {
  const socket = openSocket(url);
  return new Promise((resolve) => {
    let answer = '';
    let timer: ReturnType<typeof setTimeout>;
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(end, quietMs);
    };
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
      wait();
    });
    socket.on('close', end);
    socket.write(bytes);
    wait();
  });
}

export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

export function rawPost(path: string, body: string, headers: readonly string[] = []): string {
  const fixed = ['Host: relay.test', 'Content-Type: application/json', 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
  return [`POST ${path} HTTP/1.1`, ...fixed, ...headers, '', body].join('\r\n');
}
