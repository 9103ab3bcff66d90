/**
 * Sixty things that people ask of a task manager, and what has to come of each. Nobody's prompt or example may be made from them: they are
 * there to measure, and what was tuned to them measures nothing any more.
 */

/** A value that is right: itself, one of several, or none that says anything. */
export type Right = string | boolean | readonly string[];

export interface Expected {
  tool: string;
  args: Readonly<Record<string, Right>>;
}

export interface EvalRequest {
  id: string;
  lang: 'en' | 'zh-CN';
  /** `{+2}` is the day after tomorrow as `YYYY-MM-DD`, here and in `calls`. */
  text: string;
  /** In any order. None: nothing may be called at all. */
  calls: readonly Expected[];
}

const create = (title: Right, more: Record<string, Right> = {}): Expected => ({ tool: 'create_task', args: { title, ...more } });
const read = (view_context: string): Expected => ({ tool: 'read_tasks', args: { view_context } });
const update = (task_id: string, changes: Record<string, Right>): Expected => ({ tool: 'update_task', args: { task_id, ...changes } });
const plan = (task_id: string, scheduled_date: string): Expected => ({ tool: 'create_schedule', args: { task_id, scheduled_date } });
const remove = (task_id: string): Expected => ({ tool: 'delete_task', args: { task_id } });
const done = { completed: true };

const en: readonly (readonly [text: string, ...calls: Expected[]])[] = [
  ['Create a task: buy milk', create('buy milk')],
  ['Add "renew passport" to my list', create('renew passport')],
  ['I need a new task called Water the ferns', create('Water the ferns')],
  ['pls creat a taks to call mum', create('call mum')],
  ['Add a task Pay rent for {+3}', create('Pay rent', { scheduled_date: '{+3}' })],
  ['Remind me to send the invoice on {+1}', create('send the invoice', { scheduled_date: '{+1}' })],
  ['What is on my list today?', read('daily::{+0}')],
  ['Show me the tasks of {+2}', read('daily::{+2}')],
  ['Which tasks have no date yet?', read('staging')],
  ['whats in stagin', read('staging')],
  ['List everything in area 6f1c2a54-8f0b-4d0e-9b57-2f6d3c1a7e01', read('area::6f1c2a54-8f0b-4d0e-9b57-2f6d3c1a7e01')],
  ['What do I have to do tomorrow?', read('daily::{+1}')],
  ['Mark task k-12 as done', update('k-12', done)],
  ['Task p-3 is not finished after all, reopen it', update('p-3', { completed: false })],
  ['Rename task m-8 to Book the flights', update('m-8', { title: 'Book the flights' })],
  ['Chnage the titel of c-5 to Clean the garage', update('c-5', { title: 'Clean the garage' })],
  ['I finished q-21', update('q-21', done)],
  ['Put r-4 on {+5}', plan('r-4', '{+5}')],
  ['Move task h-17 to {+1}', plan('h-17', '{+1}')],
  ['Schedule w-2 for today', plan('w-2', '{+0}')],
  ['Shedule n-30 for tomorow', plan('n-30', '{+1}')],
  ['Delete task z-6', remove('z-6')],
  ["Please remove d-11, I don't need it any more", remove('d-11')],
  ['get rid of taks u-9', remove('u-9')],
  ['Hello!'],
  ["Thanks, that's all for now"],
  ['What can you do?'],
  ['What is the capital of France?'],
  ['How do I delete a task?'],
  ['Do you like jazz?'],
  ['Good night'],
  ['Create two tasks: wash the car and feed the cat', create('wash the car'), create('feed the cat')],
  ['Mark a-1 and a-2 as done', update('a-1', done), update('a-2', done)],
  ['Delete b-7 and plan b-8 for {+4}', remove('b-7'), plan('b-8', '{+4}')],
  ["Add a task Call Anna and show me today's list", create('Call Anna'), read('daily::{+0}')],
  ['Finish e-5 and move e-6 to {+1}', update('e-5', done), plan('e-6', '{+1}')],
];

const zh: typeof en = [
  ['新建一个任务：买牛奶', create('买牛奶')],
  ['帮我加一个任务，标题是整理书架', create('整理书架')],
  ['添加任务“交水电费”，日期 {+2}', create('交水电费', { scheduled_date: '{+2}' })],
  ['帮我创健一个任务：给妈妈打电话', create('给妈妈打电话')],
  ['今天有哪些任务？', read('daily::{+0}')],
  ['看看 {+3} 的任务', read('daily::{+3}')],
  ['暂存区里有什么？', read('staging')],
  ['明天我要做什么？', read('daily::{+1}')],
  ['把任务 k-7 标记为完成', update('k-7', done)],
  ['任务 s-14 改名为“准备会议材料”', update('s-14', { title: '准备会议材料' })],
  ['f-3 还没做完，改回未完成', update('f-3', { completed: false })],
  ['j-19已经做完了', update('j-19', done)],
  ['把 t-5 安排到 {+6}', plan('t-5', '{+6}')],
  ['v-22 改到明天', plan('v-22', '{+1}')],
  ['把任务 g-1 排到今天', plan('g-1', '{+0}')],
  ['删除任务 x-8', remove('x-8')],
  ['i-4 不要了，删掉吧', remove('i-4')],
  ['你好'],
  ['谢谢，没别的事了'],
  ['你能做什么？'],
  ['1 加 1 等于几？'],
  ['怎么删除一个任务？'],
  ['新建两个任务：买菜、洗衣服', create('买菜'), create('洗衣服')],
  ['完成 o-2，再把 o-3 安排到 {+1}', update('o-2', done), plan('o-3', '{+1}')],
];

const number = (list: typeof en, lang: EvalRequest['lang']): EvalRequest[] =>
  list.map(([text, ...calls], at) => ({ id: `${lang.slice(0, 2)}-${String(at + 1).padStart(2, '0')}`, lang, text, calls }));

/** With the days written out, counted from `today`. */
export function requestsFor(today: Date): EvalRequest[] {
  const source = JSON.stringify([...number(en, 'en'), ...number(zh, 'zh-CN')]);
  return JSON.parse(source.replace(/\{\+(\d)\}/g, (_, days: string) => dayAfter(today, Number(days)))) as EvalRequest[];
}

export function dayAfter(today: Date, days: number): string {
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, 12);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}
