/** The files of docs/relay that no test starts: what they name is there. `test/relay/runtimes.node.test.ts` starts the others. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { helpText } from '../../src/relay/flags.js';
import { page } from './pages.js';

const known = (name: string) => name === 'MODEL_API_KEY' || helpText().includes(` ${name} `);

interface Compose {
  services: Record<string, { env_file?: string; environment?: Record<string, unknown>; depends_on?: string[]; command?: string }>;
}

describe('the files of docs/relay', () => {
  it('have a Dockerfile that starts a file of the package, with settings that there are', async () => {
    const dockerfile = await page('docs/relay/Dockerfile');
    const [, started = ''] = /^CMD \["node", "node_modules\/tool-chat\/(.*)"\]$/m.exec(dockerfile) ?? [];
    const { bin } = JSON.parse(await page('package.json')) as { bin: Record<string, string> };
    expect(started).to.equal(bin['tool-chat-relay']?.replace(/^\.\//, ''));
    const set = [...dockerfile.matchAll(/ -e ([A-Z_]+)|^ENV NODE_ENV=production (\w+)=\S+ (\w+)=/gm)].flatMap(([, ...names]) =>
      names.filter(Boolean),
    );
    expect(set).to.have.length(6);
    expect(set.filter((name) => !known(name))).to.deep.equal([]);
    expect(dockerfile).not.to.match(/^(?:COPY|ADD) /m);
  });

  it('have a compose file with settings that there are, beside its Dockerfile', async () => {
    const text = await page('docs/relay/compose.yaml');
    const { services } = parse(text) as Compose;
    expect(Object.keys(services)).to.have.members(['relay', 'redis', 'proxy']);
    const [, named = ''] = /env_file: \.env # (.+)/.exec(text) ?? [];
    const set = [...named.split(', '), ...Object.keys(services['relay']?.environment ?? {})];
    expect(set).to.have.length(8);
    expect(set.filter((name) => !known(name))).to.deep.equal([]);
    for (const { depends_on = [] } of Object.values(services)) expect(services).to.include.keys(...depends_on, 'relay');
  });

  it('have a unit for systemd that starts the program of the package, and again for as long as its model is away', async () => {
    const unit = await page('docs/relay/tool-chat-relay.service');
    const started = [...unit.matchAll(/^Exec\w+=\/usr\/bin\/env (.*)$/gm)].map(([, command]) => command);
    expect(started).to.deep.equal(['tool-chat-relay --check', 'tool-chat-relay']);
    expect(helpText()).to.contain('--check');
    // systemd gives up after five starts in ten seconds.
    expect(Number(/^RestartSec=(\d+)$/m.exec(unit)?.[1])).to.be.above(2);
  });
});
