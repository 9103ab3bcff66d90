import { expect } from 'chai';
import { failureLines } from '../../src/conversation/view/failure-text.js';
import { en } from '../../src/i18n/en.js';
import { failureOf } from '../../src/transports/failure.js';
import { whereabouts } from '../../src/transports/whereabouts.js';

const isLocal = (endpoint: string, page: string | undefined) => whereabouts(new URL(endpoint), page).localNetwork === true;

describe('where an endpoint lives', () => {
  it('is nearer than the page: browsers ask before they let the page reach it', () => {
    const near = ['localhost:11434', '127.0.0.1:1234', '[::1]:8080', 'model.localhost', '192.168.1.7', '10.0.0.1', '172.31.0.1'];
    for (const host of [...near, '169.254.1.1', 'nas.local', '[fd00::1]', '[fe80::1]']) {
      expect(isLocal(`http://${host}/api/chat`, 'https://shop.example/'), host).to.equal(true);
    }
    expect(isLocal('http://localhost:11434/', 'http://192.168.1.7/')).to.equal(true);
  });

  it('is elsewhere, or as near as the page, or there is no page', () => {
    for (const host of ['api.example', '172.32.0.1', '11.0.0.1', 'localhost.example', 'notlocalhost', '127.example', '[2001:db8::1]']) {
      expect(isLocal(`https://${host}/`, 'https://shop.example/'), host).to.equal(false);
    }
    expect(isLocal('http://localhost:11434/', 'http://localhost:5173/')).to.equal(false);
    expect(isLocal('http://192.168.1.7/', 'http://localhost:5173/')).to.equal(false);
    expect(isLocal('http://localhost:11434/', undefined)).to.equal(false);
  });

  it('decides the advice', () => {
    const advice = (endpoint: string, page: string) => failureLines(failureOf('connect', whereabouts(new URL(endpoint), page)), en)[1];
    expect(advice('http://localhost:11434/api/chat', 'https://shop.example/')).to.match(/browser asks.*OLLAMA_ORIGINS/);
    expect(advice('https://api.example/', 'https://shop.example/')).to.equal(en.checkEndpoint);
    expect(advice('https://shop.example/api', 'https://shop.example/')).to.equal(en.checkNetwork);
  });
});
