/** Refusals whose bodies lie. Over real sockets. */
import { expect } from 'chai';
import { talk, useFaultServer } from '../conversation/talk.js';
import { CLEAN, isWell } from './probe.js';

describe('faults of the connection', () => {
  useFaultServer();

  for (const body of ['html', 'empty', 'huge', 'hang', 'sse'])
    it(`error body ${body}: a short sentence, and nothing of what the server wrote`, async () => {
      const one = talk([{ text: CLEAN, q: `status=400&body=${body}`, times: 1 }], { requestTimeout: 2000, logLevel: 'debug' });
      const { error } = await one.send();
      expect(error?.message.length).to.be.within(5, 500);
      expect(JSON.stringify(one.view().failure)).to.not.match(/xxxx|__xss|<script|onerror/);
      await isWell(one);
    });
});
