/** The Chinese texts of prompts. Loaded with the first prompt in Chinese. */
import { addChineseProtocols } from '../protocols/chinese.js';
import { addChinese } from '../protocols/render-tool-docs.js';
import { englishPromptTexts, type PromptTexts } from './prompt-texts.js';

const promptTexts: PromptTexts = {
  locked: (tool) => `用户已选定工具 ${tool}：必须调用该工具一次，不得改用其他工具。`,
  confirm: (keywords) =>
    `每次只执行一个工具。还需要下一个工具时，先说明将要做什么并停下，等待用户确认。只有当用户回复${keywords ? `确认关键字（${keywords}）` : '表示同意'}后才能继续；用户回复其他内容时，不要执行。`,
  plan: '先给简短计划',
  planFormat:
    '这个请求较长或包含多个目标：回复以一个计划开头，写成下面这样的 JSON 代码块，然后立即执行第一步。steps 不超过 20 个；tool 和 input 只写在需要工具的步骤里；dependsOn 列出必须先完成的步骤的 id。\n```json\n{"task_plan": {"goal": "目标", "steps": [{"id": "1", "title": "步骤", "tool": "工具名称", "input": {}, "dependsOn": []}, {"id": "2", "title": "步骤", "dependsOn": ["1"]}]}}\n```',
  clarify:
    '需要提问时，在回复末尾写一个 JSON 代码块，给出默认做法和最多两个问题：\n```json\n{"clarify": {"default": "默认做法", "questions": [{"text": "问题", "options": ["选项一", "选项二"]}]}}\n```',
  guess:
    '先猜测，再提问：先根据用户资料和上下文补全用户的意图；确实无法判断时，只问一到两个容易回答的问题，并给出选项和默认值。不要只回复“请补充”。',
  list: '、',
  smallTalk: [
    ['这个怎么用？', '直接告诉我想做什么，我来完成。'],
    ['谢谢！', '不客气！'],
  ],
  done: ['成功', '好的，已经完成。'],
  afterResults: '请用一句话告诉用户结果，不要重复上面的内容块。',
  afterMistake: '请改正后重新调用；如果做不到，请用一句话告诉用户原因。不要重复上面的内容块。',
};

export function addChinesePrompts(): void {
  addChineseProtocols();
  addChinese(englishPromptTexts, promptTexts);
}
