/** The texts of the inspector. They are for developers, so names of settings, events and states stay as they are in code. */
import { ar, de } from './inspector-strings-ar-de.js';
import { en, type InspectorStrings } from './inspector-strings-en.js';
import { es, fr, ja } from './inspector-strings-es-fr-ja.js';

export type { InspectorStrings } from './inspector-strings-en.js';

const zh: InspectorStrings = {
  inspector: '检查器',
  close: '关闭',
  noChat: '没有可查看的 <tool-chat>：请用 for="它的 id" 指定。',
  notYet: '正在等待组件。如果一直这样，说明它来自另一份脚本：请改为设置它的 inspect 属性。',

  tools: '工具',
  findTool: '查找工具',
  toolCount: (found, all) => `${all} 个中的 ${found} 个`,
  leftOut: (host) => `未提供或已放宽（${host}）`,
  noTools: '没有注册任何工具',
  nothingFound: '没有匹配项',
  from: '来源',
  byPage: '页面本身',
  off: '已关闭',
  parameters: '参数',
  noParameters: '没有参数',
  required: '必填',
  type: '类型',
  meaning: '含义',
  ms: (ms) => `${ms} 毫秒`,

  prompt: '提示词',
  notation: '格式',
  tokens: (count) => `约 ${count} 个 token`,
  copy: '复制',
  copied: '已复制',
  sent: '模型看到的内容',
  sentSays: '最近一次请求，即其离开页面时的样子。私密内容以标记代替。',
  sentNothing: '尚未发送任何内容',

  bench: '解析器',
  reply: '模型的回复',
  replyHint: '粘贴模型写的内容',
  pieceSize: '分块大小',
  whole: '整段',
  pieces: '块数',
  sameAt: (sizes) => `${sizes} 时结果相同`,
  differsAt: (sizes) => `${sizes} 时结果不同`,
  calls: '调用',
  shownText: '显示的文字',
  warnings: '警告',
  asRead: '读取过程',
  piece: '块',
  event: '事件',
  content: '内容',
  end: '结束',
  matrix: '测试用例',
  runMatrix: '运行全部用例',
  passed: (passed, all) => `${all} 个中通过 ${passed} 个`,

  run: '运行',
  tool: '工具',
  runTool: '运行工具',
  running: '运行中…',
  waitsForYou: '正在对话中等你决定',
  result: '结果',
  notSet: '未设置',
  check: '试用工具',
  checkSays: '像模型那样多次调用勾选的工具：古怪的参数、重复调用、中途停止。工具会真的运行，不会询问任何人。',
  checkTools: '试用勾选的工具',
  checked: (tries: number, faults: number) => `运行 ${tries} 次，${faults === 0 ? '没有发现问题' : `发现 ${faults} 个问题`}`,
  noJson: (names) => `不是 JSON：${names}`,

  chart: '状态图',
  conversation: '对话',
  callChart: '每个调用',

  trace: '轨迹',
  filter: '筛选',
  clear: '清空',
  kinds: '显示内容',
  kindNames: { event: '事件', log: '传输与日志', decision: '决定' },
  rowCount: (count) => `${count} 行`,
  nothingYet: '还没有发生任何事',

  decisions: '决定',
  noCalls: '还没有调用',
  decidedBy: '决定者',
  reason: '原因',
  risk: '风险',
  tainted: '跟随不受信任的内容',
  flags: '标记',
  digest: '摘要',

  session: '会话',
  record: '录制',
  stopRecording: (rows) => `停止并保存（${rows}）`,
  exportFile: '导出会话',
  openFile: '打开文件',
  sessionHint: '文件会在单独的对话中回放：不会运行任何东西，当前对话保持不变。',
  replay: '回放',
  stepOf: (step, steps) => `第 ${step} 步，共 ${steps} 步`,
  play: '播放',
  pause: '暂停',
  putIntoChat: '放入对话',
  putDone: '对话现在显示这个会话',
  saved: '已保存',
  badFile: (why) => `无法打开这个文件：${why}`,
};

/** Texts by language. Other languages fall back to English. */
export const inspectorStrings: Readonly<Record<string, InspectorStrings>> = { en, zh, ar, de, es, fr, ja };

/** @param lang BCP 47 */
export function inspectorStringsFor(lang: string): InspectorStrings {
  const base = lang.toLowerCase().split('-')[0] ?? 'en';
  return (Object.hasOwn(inspectorStrings, base) ? inspectorStrings[base] : undefined) ?? en;
}
