import { expect } from 'chai';
import type { LogEntry, LogLevel } from '../src/base/log.js';
import { createLog, loadLog, type LogOptions } from '../src/base/logging.js';
import { hideSecrets, redactData, redactText } from '../src/base/redact.js';
import { hostile } from './tools/hostile.js';
import { isLinear } from './helpers/cost.js';
import texts from './fixtures/redaction.json' with { type: 'json' };

function listen(options: LogOptions = {}) {
  const entries: LogEntry[] = [];
  return { entries, log: createLog({ level: 'debug', logger: quiet, emit: (entry) => entries.push(entry), ...options }) };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

describe('the log', () => {
  it('keeps its first entries, in order, until they can be redacted', async () => {
    const { entries, log } = listen();
    log.warn('first', 'sk-SECRET-123');
    log.error('second', 'm');
    await loadLog();
    log.info('third', 'm');
    expect(entries.map(({ code }) => code)).to.deep.equal(['first', 'second', 'third']);
    expect(entries[0]?.message).to.equal('[key]');
  });

  it('writes entries with time, level, code, message, context, error type, stage and stack (S0-146)', () => {
    const { entries, log } = listen();
    log.error('tool.failed', 'Tool failed', { toolName: 'pay' }, { errorType: 'network', stage: 'EX', error: new Error('lost') });
    log.info('tool.succeeded', 'Tool succeeded');
    expect(entries[0]).to.deep.include({ level: 'error', code: 'tool.failed', message: 'Tool failed', errorType: 'network', stage: 'EX' });
    expect(entries[0]?.context).to.deep.equal({ toolName: 'pay' });
    expect(entries[0]?.stack).to.contain('lost');
    expect(entries[0]?.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(entries[1]).to.have.all.keys('time', 'level', 'code', 'message', 'context');
    expect(Object.isFrozen(entries[0])).to.equal(true);
  });

  it('lets through what the level asks for, to the logger and to everyone else', () => {
    const heard = (level: LogLevel) => {
      const toLogger: string[] = [];
      const note = (at: string) => () => void toLogger.push(at);
      const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
      const { entries, log } = listen({ level, logger });
      for (const write of [log.debug, log.info, log.warn, log.error]) write('c', 'm');
      return [entries.map((entry) => entry.level), toLogger];
    };
    const all = ['debug', 'info', 'warn', 'error'];
    for (const [index, level] of (['debug', 'info', 'warn', 'error'] as const).entries())
      expect(heard(level)).to.deep.equal([all.slice(index), all.slice(index)]);
    expect(heard('off')).to.deep.equal([[], []]);
  });

  it('writes to the console from level warn on where there is no logger', () => {
    const { warn, info } = console;
    const lines: unknown[][] = [];
    try {
      console.warn = (...line: unknown[]) => lines.push(line);
      console.info = (...line: unknown[]) => lines.push(line);
      const log = createLog();
      log.info('c', 'quiet');
      log.warn('c', 'loud', { key: 'sk-SECRET-123' });
    } finally {
      Object.assign(console, { warn, info });
    }
    expect(lines).to.deep.equal([['[tool-chat] loud → docs/error-codes.md#c', { key: '[key]' }]]);
  });

  it('survives sinks, redactors and data that throw', () => {
    const fail = () => {
      throw new Error('sink');
    };
    listen({ emit: fail }).log.error('c', 'm');
    listen({ redact: fail }).log.error('c', 'm');
    listen({ logger: { debug: fail, info: fail, warn: fail, error: fail } }).log.error('c', 'm');
    const { entries, log } = listen();
    for (const make of Object.values(hostile)) log.error('c', 'm', { value: make() }, { error: make() });
    log.error('c', 'm', fail);
    expect(entries).to.have.length(Object.keys(hostile).length);
    expect(JSON.stringify(entries).length).to.be.below(1_000_000);
  });
});

describe('redaction', () => {
  for (const [name = '', text = '', wanted] of texts.hidden) it(`hides ${name}`, () => expect(redactText(text)).to.equal(wanted));

  it('leaves ordinary text alone', () => {
    for (const text of texts.ordinary) expect(redactText(text)).to.equal(text);
  });

  it('hides values by the names of their keys, at any depth, but not counts', () => {
    const user = { Password: 'a', 'api-key': 'b', accessToken: { x: 1 }, set_cookie: ['c'], email: 'd' };
    const hidden = Object.fromEntries(Object.keys(user).map((key) => [key, '[hidden]']));
    expect(redactData({ user, maxTokens: 5, title: 'kept' })).to.deep.equal({ user: hidden, maxTokens: 5, title: 'kept' });
  });

  it('finds secrets in keys, in errors and wherever a string is cut', () => {
    expect(JSON.stringify(redactData({ 'sk-SECRET-123': 1, e: new Error('sk-SECRET-123') }))).not.to.contain('SECRET');
    for (let at = 3980; at < 4010; at++) expect(redactText(`${'x '.repeat(at / 2)}sk-SECRETSECRETSECRET`)).not.to.contain('SE');
  });

  it('takes linear time for text that invites back-tracking', async () => {
    const bad = ['-eyJ', 'eyJ-', 'a@', '1 ', 'password: ', 'bearer  ', '://a:b', '(', 'a.', 'sk-', '+1-'];
    for (const hide of [hideSecrets, redactText])
      for (const piece of bad) {
        const prepare = (size: number) => () => hide(piece.repeat(size / piece.length));
        expect(await isLinear(prepare, 100_000), `${hide.name} ${piece}`).to.equal(true);
      }
  });

  it('applies the host’s own rule after the built-in ones', () => {
    const { entries, log } = listen({ redact: (text) => text.replaceAll('Ann', '[name]') });
    log.info('c', 'Ann asks', { by: 'Ann', key: 'sk-SECRET-123' });
    expect(entries[0]).to.deep.include({ message: '[name] asks', context: { by: '[name]', key: '[key]' } });
  });
});
