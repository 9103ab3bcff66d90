// test:all only: it installs the official tests of MCP from npm
/** The official conformance tests of MCP, played against `connectMcp`. Scenarios for servers do not apply: this project is a client. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useNpmPackages } from '../helpers/npm-packages.js';

/** The newest version that runs in Node 20. */
const PACKAGE = { '@modelcontextprotocol/conformance': '0.1.13' };

const SECRET = 'a page has no client secret: every visitor could read it';
const ISSUER = 'the description of the issuer names another issuer than the one that was asked, which RFC 8414 (3.3) forbids to accept';

/** Scenarios that do not pass, and why. */
const FAILS: Readonly<Record<string, string>> = {
  'auth/metadata-var2': ISSUER,
  'auth/metadata-var3': ISSUER,
  'auth/token-endpoint-auth-basic': SECRET,
  'auth/token-endpoint-auth-post': SECRET,
  'auth/pre-registration': SECRET,
  'auth/client-credentials-jwt': SECRET,
  'auth/client-credentials-basic': SECRET,
  'auth/2025-03-26-oauth-endpoint-fallback':
    'without metadata nothing says that PKCE is checked; the specification requires to refuse that',
};

describe('the official conformance tests of MCP', function () {
  this.timeout(600_000);
  const at = useNpmPackages(PACKAGE);
  const command = `${process.execPath} --import=tsx/esm test/mcp/conformance-client.ts`;
  /** Output and exit code; a failed scenario is no exception here. */
  const conformance = (...args: string[]) =>
    promisify(execFile)(process.execPath, [at('@modelcontextprotocol/conformance/dist/index.js'), ...args], { maxBuffer: 1e8 }).then(
      ({ stdout }) => ({ stdout, passed: true }),
      ({ stdout }: { stdout: string }) => ({ stdout, passed: false }),
    );

  it('pass, but for those that a page must not or cannot pass', async () => {
    const { stdout } = await conformance('list');
    const [, clients = ''] = stdout.split('Client scenarios');
    const scenarios = [...clients.matchAll(/^\s+- (\S+)$/gm)].map(([, name = '']) => name);
    expect(scenarios.length).to.be.greaterThan(20);
    const failed: string[] = [];
    for (const name of scenarios) {
      const { passed, stdout: said } = await conformance('client', '--command', command, '--scenario', name);
      if (!passed) failed.push(name);
      if (!passed && !Object.hasOwn(FAILS, name)) console.log(said.slice(-2000));
    }
    expect(failed.sort()).to.deep.equal(Object.keys(FAILS).sort());
  });
});
