import { expect } from 'chai';
import fc from 'fast-check';
import { LANGUAGES } from '../../src/markdown/code-languages.js';
import { knowsLanguage, tokenize } from '../../src/markdown/code-tokens.js';
import { cpuTime } from '../helpers/cpu-time.js';
import { pieces } from './pieces.js';

/** The pieces as `kind:text`. */
const read = (code: string, language: string) => tokenize(code, language).map(({ from, to, kind }) => `${kind}:${code.slice(from, to)}`);

const everyName = LANGUAGES.flatMap(({ names }) => names.split(' '));

/** What each language costs at least for a text, in milliseconds. */
interface Tried {
  given: string;
  costs: number[];
}
const dearest = ({ costs }: Tried) => Math.max(...costs);

describe('the pieces of code', () => {
  it('are words, strings, numbers and comments in TypeScript', () => {
    expect(read('const a: Map<string, number> = f(1.5, "x\\"y"); // end\nif (/a"b/.test(`q\n`)) return null;', 'ts')).to.deep.equal([
      ...['keyword:const', 'name:Map', 'keyword:string', 'keyword:number', 'name:f', 'number:1.5', 'string:"x\\"y"', 'comment:// end'],
      ...['keyword:if', 'string:/a"b/', 'name:test', 'string:`q\n`', 'keyword:return', 'number:null'],
    ]);
  });

  for (const [language, code, found] of [
    ['json', '{"a": [1, true, "b"]}', 'name:"a"¦number:1¦number:true¦string:"b"'],
    ['python', '@w\ndef f(x):\n  """doc\n"""  # note', 'name:@w¦keyword:def¦name:f¦string:"""doc\n"""¦comment:# note'],
    ['html', '<!-- c --><a href="x&amp;">T&lt;</a>', 'comment:<!-- c -->¦keyword:a¦name:href¦string:"x&amp;"¦number:&lt;¦keyword:a'],
    ['css', '@media x { .card { color: #fff; width: 10px } }', 'keyword:@media¦name:.card¦name:color¦name:width¦number:10px'],
    ['bash', 'if [ "$A" ]; then echo $B; fi # c', 'keyword:if¦string:"$A"¦keyword:then¦keyword:echo¦name:$B¦keyword:fi¦comment:# c'],
    ['sql', "SELECT a FROM t WHERE b = 'it''s' -- c", "keyword:SELECT¦keyword:FROM¦keyword:WHERE¦string:'it'¦string:'s'¦comment:-- c"],
    ['diff', '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z', 'comment:--- a¦comment:+++ b¦keyword:@@ -1 +1 @@¦removed:-x¦added:+y'],
    ['yaml', 'a-b: yes # c\nd: "e"', 'name:a-b¦number:yes¦comment:# c¦name:d¦string:"e"'],
    ['go', 'func main() { x := `a\\`; return nil }', 'keyword:func¦name:main¦string:`a\\`¦keyword:return¦number:nil'],
    ['rust', 'fn a() -> u8 { println!("x") }', 'keyword:fn¦name:a¦keyword:u8¦name:println!¦string:"x"'],
    ['java', '@Override public int a() { return 0x1F; }', 'name:@Override¦keyword:public¦keyword:int¦name:a¦keyword:return¦number:0x1F'],
    ['c', '#include <a.h>\nint main(void) { /* c */ }', 'keyword:#include¦keyword:int¦name:main¦keyword:void¦comment:/* c */'],
  ] as const)
    it(`are found in ${language}`, () => {
      expect(read(code, language)).to.deep.equal(pieces(found));
    });

  it('are none in a language that is not known', () => {
    expect(knowsLanguage('brainfuck')).to.equal(false);
    expect(knowsLanguage('constructor')).to.equal(false);
    expect(read('if "a" 1', 'brainfuck')).to.deep.equal([]);
  });

  it('come in order and never overlap, whatever is written', () => {
    const part = fc.constantFrom(...pieces(`/*¦*/¦//¦"¦'¦\`¦"""¦\\¦\n¦<¦<!--¦-->¦>¦&¦&amp;¦/¦=¦#¦$¦@¦a¦Ab¦1¦.¦(¦ ¦文¦😀¦+¦-¦{¦:`));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.constantFrom(...everyName), (parts, name) => {
        const code = parts.join('');
        let last = 0;
        for (const { from, to } of tokenize(code, name)) {
          expect(from).to.be.at.least(last);
          expect(to).to.be.above(from).and.at.most(code.length);
          last = to;
        }
      }),
    );
  });

  for (const opening of pieces(`/*¦//¦"¦'¦\`¦"""¦<a ¦<!--¦&¦/¦(/¦#¦$¦a¦1¦\\¦ ¦a ¦"a" ¦<¦--¦@@\n¦+\n`))
    it(`cost in proportion to their length: ${JSON.stringify(opening)}`, function () {
      this.timeout(30_000);
      const cost = (text: string, name: string) => {
        const before = cpuTime();
        tokenize(text, name);
        return cpuTime() - before;
      };
      const text = opening.repeat(20_000 / opening.length);
      const [once, four] = [text, text.repeat(4)].map((given) => ({ given, costs: LANGUAGES.map(() => Infinity) })) as [Tried, Tried];
      // Over two doublings, and again while it is too dear: what disturbs a try only ever adds to it.
      for (let tries = 0; tries < 5 && !(tries > 0 && dearest(four) < 8 * dearest(once) + 20); tries += 1)
        for (const { given, costs } of [once, four])
          for (const [at, { names }] of LANGUAGES.entries())
            for (let nth = 0; nth < 3; nth += 1) costs[at] = Math.min(costs[at]!, cost(given, names.split(' ')[0]!));
      expect(dearest(four)).to.be.below(8 * dearest(once) + 20);
    });
});
