/** Starts WebKitWebDriver on a free port, on a display of its own where there is none. */
import { spawn } from 'node:child_process';
import net from 'node:net';

// The WebDriver client tells each connection otherwise.
process.env.WDIO_LOG_LEVEL ??= 'error';

/** What WebDriver has to ask for; BiDi is switched off because WebKitGTK answers the classic protocol only. */
const webkitCapabilities = (browser) => ({
  browserName: 'MiniBrowser',
  'wdio:enforceWebDriverClassic': true,
  'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
});

/**
 * @param {{driver: string, browser: string, xvfb?: string}} at What `find.webkit()` found.
 * @returns {Promise<{port: number, capabilities: object, close: () => void}>}
 */
export async function startWebKitDriver(at) {
  const children = [];
  const close = () => {
    process.off('exit', close);
    for (const child of children.splice(0).reverse()) child.kill();
  };
  process.on('exit', close);
  try {
    const env = { ...process.env, WEBKIT_DISABLE_COMPOSITING_MODE: '1' };
    if (at.xvfb) {
      const { child, display } = await startXvfb(at.xvfb);
      children.push(child);
      env.DISPLAY = display;
      delete env.WAYLAND_DISPLAY;
    }
    const port = await freePort();
    children.push(spawn(at.driver, [`--port=${port}`], { stdio: ['ignore', 'ignore', 'ignore'], env }));
    await untilAnswers(`http://127.0.0.1:${port}/status`);
    return { port, capabilities: webkitCapabilities(at.browser), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Xvfb chooses a free display number by itself and writes it to the file descriptor it is given. */
function startXvfb(program) {
  const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code} before it had a display.`)));
    let number = '';
    child.stdio[3].on('data', (bytes) => {
      number += String(bytes);
      if (number.endsWith('\n')) resolve({ child, display: `:${number.trim()}` });
    });
  });
}

/** A port that nothing listens on now. The system never gives it to a socket that asks for any port. */
export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer();
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    server.once('error', () => resolve(freePort()));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}

async function untilAnswers(url, timeout = 15_000) {
  const end = Date.now() + timeout;
  for (;;) {
    try {
      await fetch(url);
      return;
    } catch (error) {
      if (Date.now() > end) throw new Error(`WebKitWebDriver does not answer at ${url}.`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
