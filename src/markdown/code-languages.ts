/** The keywords, comments and strings of each language. A new language needs only one entry. */

/** Words are separated by blanks. Marks are tried in the given order. */
export interface Language {
  readonly names: string;
  /** Set for `markup` and `diff`, which have their own readers and need no other field. */
  readonly syntax?: 'markup' | 'diff';
  readonly keywords?: string;
  readonly literals?: string;
  /** True if keywords ignore case. */
  readonly ignoreCase?: boolean;
  /** The mark that starts a comment up to the end of the line. */
  readonly line?: string;
  /** Start and end marks of comments, and of strings with several lines. */
  readonly comments?: readonly (readonly [string, string])[];
  readonly long?: readonly (readonly [string, string])[];
  /** Characters that begin and end a string on one line. */
  readonly quotes?: string;
  /** The quotes in which a backslash is an ordinary character. */
  readonly raw?: string;
  /** Characters that make the following word a keyword, or a name. */
  readonly keywordMarks?: string;
  readonly nameMarks?: string;
  /** A word or string before a colon is a name. */
  readonly keys?: boolean;
  /** Characters allowed in words besides letters, digits and `_`. */
  readonly letters?: string;
  /** True if `/…/` is a regular expression in the position of a value. */
  readonly regex?: boolean;
}

const C = { line: '//', comments: [['/*', '*/']], quotes: '"\'' } as const;
const C_WORDS =
  'break case continue default do else enum for goto if return sizeof static struct switch typedef union void volatile while const char double float int long short signed unsigned bool extern inline ' +
  'class namespace new delete template typename public private protected virtual override using try catch throw auto constexpr operator this friend';
const OO =
  'abstract as base break case catch class const continue default do else enum extends final finally for foreach if implements import in instanceof interface internal is lock namespace new null object operator out override package params private protected public readonly ref return sealed static struct super switch synchronized this throw throws transient try using var virtual void volatile while yield async await record permits bool boolean byte char decimal double float int long short string';

export const LANGUAGES: readonly Language[] = [
  {
    ...C,
    names: 'js javascript jsx mjs cjs ts typescript tsx mts',
    keywords:
      'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of package private protected public readonly return satisfies set static super switch this throw try type typeof var void while with yield any boolean never number object string symbol unknown bigint',
    literals: 'true false null undefined NaN Infinity',
    long: [['`', '`']],
    nameMarks: '@#',
    letters: '$',
    regex: true,
  },
  { names: 'json jsonc json5 jsonl', literals: 'true false null', line: '//', comments: [['/*', '*/']], quotes: '"\'', keys: true },
  {
    names: 'py python python3',
    keywords:
      'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield self',
    literals: 'True False None',
    line: '#',
    long: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    quotes: '"\'',
    nameMarks: '@',
  },
  { names: 'html htm xml svg vue svelte xhtml', syntax: 'markup' },
  {
    names: 'css scss less',
    literals: 'inherit initial unset none auto',
    comments: [['/*', '*/']],
    quotes: '"\'',
    keywordMarks: '@',
    nameMarks: '.',
    keys: true,
    letters: '-',
  },
  {
    names: 'sh bash shell zsh console terminal shellscript',
    keywords:
      'if then else elif fi for in do done while until case esac function return export local readonly set unset source exit sudo cd echo',
    literals: 'true false',
    line: '#',
    quotes: '',
    long: [
      ['"', '"'],
      ["'", "'"],
    ],
    raw: "'",
    nameMarks: '$',
    letters: '-',
  },
  {
    names: 'sql mysql postgres postgresql sqlite plsql',
    keywords:
      'add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not of offset on or order outer over partition primary references replace returning right rollback select set table then transaction trigger union unique update using values view when where with int integer bigint text varchar boolean date timestamp numeric serial',
    literals: 'true false null',
    ignoreCase: true,
    line: '--',
    comments: [['/*', '*/']],
    quotes: '"\'`',
    raw: '"\'`',
  },
  { names: 'diff patch', syntax: 'diff' },
  {
    names: 'yaml yml',
    literals: 'true false null yes no on off',
    line: '#',
    quotes: '"\'',
    raw: "'",
    keys: true,
    letters: '-.',
    nameMarks: '&*',
  },
  { names: 'toml ini conf properties env dotenv', literals: 'true false', line: '#', quotes: '"\'', letters: '-.' },
  {
    ...C,
    names: 'go golang',
    keywords:
      'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var any bool byte error float32 float64 int int32 int64 rune string uint uint8',
    literals: 'true false nil iota',
    long: [['`', '`']],
    raw: '`',
  },
  {
    names: 'rust rs',
    line: '//',
    comments: [['/*', '*/']],
    quotes: '"',
    keywords:
      'as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type unsafe use where while bool char f32 f64 i8 i16 i32 i64 isize str u8 u16 u32 u64 usize',
    literals: 'true false',
    letters: '!',
  },
  { ...C, names: 'java', keywords: OO, literals: 'true false null', nameMarks: '@', long: [['"""', '"""']] },
  { ...C, names: 'c h cpp c++ cc hpp objc arduino', keywords: C_WORDS, literals: 'true false NULL nullptr', keywordMarks: '#' },
  {
    ...C,
    names: 'cs csharp c#',
    keywords: `${OO} get set where select from dynamic delegate event fixed unsafe`,
    literals: 'true false null',
    keywordMarks: '#',
  },
  {
    ...C,
    names: 'kt kotlin kts swift dart scala',
    keywords: `${OO} fun val when companion data open let func guard inout defer protocol extension where some any init self def trait match late required mixin`,
    literals: 'true false null nil',
    nameMarks: '@',
    long: [['"""', '"""']],
  },
  {
    ...C,
    names: 'php',
    line: '//',
    keywords: `${OO} echo function fn use global isset unset require include array elseif endif endforeach match trait and or`,
    literals: 'true false null TRUE FALSE NULL',
    nameMarks: '$',
  },
  {
    names: 'rb ruby',
    keywords:
      'alias and begin break case class def defined? do else elsif end ensure for if in module next not or redo rescue retry return self super then undef unless until when while yield require attr_accessor puts',
    literals: 'true false nil',
    line: '#',
    quotes: '"\'',
    nameMarks: '@$:',
    letters: '?!',
  },
  {
    names: 'dockerfile docker makefile make',
    keywords: 'FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER VOLUME LABEL AS include ifeq endif ifdef else',
    line: '#',
    quotes: '"\'',
    nameMarks: '$',
  },
];
