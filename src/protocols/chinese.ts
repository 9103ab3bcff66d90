/** The Chinese texts of tool descriptions and of the protocol `xml-invoke`, for prompts in Chinese. The other protocols have their own. */
import { addChinese, englishWords, type Words } from './render-tool-docs.js';
import { xmlInvokeTexts } from './xml-invoke/prompt.js';

const words: Words = {
  tool: '工具名称',
  parameter: '参数名',
  value: '参数值',
  heading: '重要规则：',
  one: '每次只调用一个工具',
  many: '一条回复中可以依次写多个互不依赖的调用；需要前一个结果时，先等待结果',
  lists: '列表和对象写成 JSON',
  noFence: '不要把调用放进代码块：代码块中的内容不会执行',
  stop: '。',
  wrong: '错误示例（不会执行，请勿这样写）：',
  description: '描述：',
  kind: '类别：',
  kinds: { query: '查询', write: '写入', danger: '危险' },
  parameters: '参数：',
  none: '无',
  required: '必填',
  optional: '可选',
  oneOf: '可选值：',
  example: '示例：',
  brackets: ['（', '）'],
  comma: '，',
  between: (min, max) => `${min} 到 ${max}`,
  least: (min) => `不小于 ${min}`,
  most: (max) => `不大于 ${max}`,
  above: (min) => `大于 ${min}`,
  below: (max) => `小于 ${max}`,
  characters: (count) => `${count} 个字符`,
  items: (count) => `${count} 项`,
  properties: (count) => `${count} 个属性`,
  multiple: (step) => `${step} 的倍数`,
  unique: '不重复',
  pattern: (source) => `格式 ${source}`,
  standard: (value) => `默认 ${value}`,
  behaviour: [
    '何时调用：',
    '- 只有当用户要求做某个工具能做的事时才调用它；其他情况直接用文字回答，不要调用。',
    '- 查询和写入类工具直接调用，不要先询问；危险类工具也直接调用，系统会在执行前请用户确认。',
    '- 结果由系统返回，不是用户说的话；不要自己编写结果。',
  ].join('\n'),
};

const xmlInvoke: typeof xmlInvokeTexts = {
  format: '当需要执行操作时，请使用以下XML格式：',
  seed: ['所有参数都是字符串', '布尔值用 "true"/"false"', '严格按照XML格式'],
  plain: ['标签之间直接写参数的值，不加引号', '布尔值写 true 或 false', '严格按照XML格式，每个标签都要闭合'],
};

export function addChineseProtocols(): void {
  addChinese(englishWords, words);
  addChinese(xmlInvokeTexts, xmlInvoke);
}
