/** A server that nobody should reach. */
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type AddressInfo, type Server } from 'node:net';

export type Enemy = Awaited<ReturnType<typeof listenToAll>>;

/** Hears whatever reaches it, by TCP or UDP, before anybody speaks HTTP. */
export async function listenToAll() {
  /** First lines of TCP. */
  const heard: string[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const tcp: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      heard.push(bytes.toString('latin1').split('\r\n')[0] ?? '');
      const type = 'content-type: text/javascript\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
      socket.end(`HTTP/1.1 200 OK\r\n${type}`);
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp: Socket = createSocket('udp4', (bytes) => heard.push(`a packet of ${String(bytes.length)}`));
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  return {
    ...{ heard, at: `127.0.0.1:${String(port)}` },
    async stop() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}
