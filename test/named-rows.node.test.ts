import { expect } from 'chai';
import { namedRows } from '../.config/named-rows.mjs';

describe('the rows that a text names', () => {
  it('are found one by one and in runs, each once', () => {
    expect([...namedRows('Numbers (S0-51, X-12); events (S0-36 … S0-38), S0-37 too')]).to.eql(['S0-51', 'X-12', 'S0-36', 'S0-37', 'S0-38']);
  });

  it('are no parts of other words, and no run leads from one note into another', () => {
    expect([...namedRows('MAX-10 UTF-16 X-Forwarded-For S0-1 S0-98 … S1-02')]).to.eql(['S0-98', 'S1-02']);
  });
});
