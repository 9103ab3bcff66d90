/** Finds the browsers of this machine, and gets a Chromium where none is. Used by the tests, the benchmarks and the screenshots. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

const ENGINES = ['chromium', 'firefox', 'webkit'];

const NO_BROWSER = 'No browser to test with: install Chrome, Chromium or Edge, or set CHROME_PATH to the program.';

/** Flags without which Chromium calls home, draws on a GPU that is not there, or (as root) does not start. */
export const chromiumFlags = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-features=WebMCP',
];

/**
 * Where each engine is, or undefined: `chromium` and `firefox` a program, `webkit` the driver and the browser it starts.
 * `CHROME_PATH`, `FIREFOX_PATH` and `WEBKIT_DRIVER_PATH` go before what is installed.
 */
export const find = {
  chromium: findChromium,
  firefox: () =>
    executable(process.env.FIREFOX_PATH) ?? onPath('firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'),
  webkit: findWebKit,
};

/** The Chromium to use; installs one when there is none. Throws one clear sentence when that is impossible too. */
export async function ensureChromium() {
  return (await findChromium()) ?? (await installChromium());
}

/**
 * Which engines to run. `BROWSERS=chromium,firefox` names those that must run; without it Chromium must, and the others run
 * where they are installed (with `CI=true` all must).
 * @returns {Promise<{run: {engine: string, at: unknown}[], missing: {engine: string, required: boolean}[]}>}
 */
export async function chooseEngines(named = process.env.BROWSERS) {
  const wanted = named ? named.split(',').map((name) => name.trim()) : ENGINES;
  const stranger = wanted.find((name) => !ENGINES.includes(name));
  if (stranger !== undefined) throw new Error(`BROWSERS names "${stranger}"; the engines are ${ENGINES.join(', ')}.`);
  const run = [];
  const missing = [];
  for (const engine of wanted) {
    const at = engine === 'chromium' ? await ensureChromium() : await find[engine]();
    if (at) run.push({ engine, at });
    else missing.push({ engine, required: Boolean(named) || process.env.CI === 'true' });
  }
  return { run, missing };
}

async function findChromium() {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (!executable(named)) throw new Error(`CHROME_PATH is "${named}", which is not a program that can be started.`);
    return named;
  }
  return (await byChromeLauncher()) ?? onPath(...EDGE, ...CHROME) ?? (await fromRegistryPackage());
}

// chrome-launcher knows the usual places of Chrome and Chromium on Linux, macOS and Windows; it does not look for Edge.
async function byChromeLauncher() {
  try {
    const { Launcher } = await import('chrome-launcher');
    return executable(Launcher.getFirstInstallation());
  } catch {
    return undefined; // it throws where it finds nothing
  }
}

const CHROME = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const EDGE = [
  'microsoft-edge',
  'microsoft-edge-stable',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  'C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe',
];

async function installChromium() {
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    console.log('No browser found: installing Chromium with apt-get …');
    const apt = (...args) => spawnSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    apt('update');
    apt('install', '-y', '--no-install-recommends', 'chromium');
    const installed = onPath('chromium');
    if (installed) return installed;
  }
  if (process.platform === 'linux' && process.arch === 'x64') {
    console.log('No browser found: taking the headless Chromium of @sparticuz/chromium …');
    spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '@sparticuz/chromium@153'], { stdio: 'inherit' });
    const unpacked = await fromRegistryPackage();
    if (unpacked) return unpacked;
  }
  throw new Error(NO_BROWSER);
}

async function fromRegistryPackage() {
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const program = executable(await chromium.executablePath());
    // It needs system libraries (nss, nspr, expat) that a very bare machine does not have.
    return program && spawnSync(program, ['--version']).status === 0 ? program : undefined;
  } catch {
    return undefined; // not installed, or not for this machine
  }
}

function findWebKit() {
  const driver = executable(process.env.WEBKIT_DRIVER_PATH) ?? onPath('WebKitWebDriver');
  const browser = miniBrowser();
  if (!driver || !browser) return undefined;
  const display = Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  const xvfb = onPath('Xvfb');
  return xvfb || display ? { driver, browser, xvfb } : undefined;
}

// WebKitGTK's own little browser, which the driver starts, lies with the library and not on the PATH.
function miniBrowser() {
  const architectures = ['x86_64-linux-gnu', 'aarch64-linux-gnu', ''];
  const versions = ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0'];
  for (const root of ['/usr/lib', '/usr/libexec', '/usr/lib64'])
    for (const architecture of architectures)
      for (const version of versions) {
        const program = executable(path.join(root, architecture, version, 'MiniBrowser'));
        if (program) return program;
      }
  return undefined;
}

function onPath(...names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  for (const name of names) {
    const places = path.isAbsolute(name) ? [name] : folders.map((folder) => path.join(folder, name));
    const found = places.find((place) => executable(place));
    if (found) return found;
  }
  return undefined;
}

function executable(file) {
  if (!file || !existsSync(file)) return undefined;
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}
