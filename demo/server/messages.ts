/** The messages of the task API to users, in the language of their `Accept-Language`. */
import { parseAccept } from 'hono/utils/accept';

export type Language = 'en' | 'zh';

const messages = {
  title_required: { en: 'The task title must not be empty', zh: '任务标题不能为空' },
  title_too_long: { en: 'The task title must not be longer than 200 characters', zh: '任务标题不能超过 200 个字符' },
  title_invalid: { en: 'The task title has characters that cannot be stored', zh: '任务标题含有无法保存的字符' },
  completed_boolean: { en: '"completed" must be true or false', zh: 'completed 只能是 true 或 false' },
  date_invalid: { en: 'The date must be a real day, written YYYY-MM-DD', zh: '日期必须是真实存在的日期，格式为 YYYY-MM-DD' },
  area_invalid: { en: '"area_id" must be the id of an area', zh: 'area_id 必须是区域的编号' },
  nothing_to_change: { en: 'Nothing to change: give "title" or "completed"', zh: '没有要修改的内容：请提供 title 或 completed' },
  unknown_field: { en: 'The request has a field this endpoint does not know', zh: '请求里有这个接口不认识的字段' },
  body_invalid: { en: 'The request body must be a JSON object', zh: '请求体必须是 JSON 对象' },
  body_not_json: { en: 'Send the body as application/json', zh: '请以 application/json 发送请求体' },
  body_too_large: { en: 'The request body is too large', zh: '请求体过大' },
  view_invalid: {
    en: 'Unknown view: use daily::YYYY-MM-DD, staging or area::<area id>',
    zh: '未知的视图：请使用 daily::YYYY-MM-DD、staging 或 area::<区域编号>',
  },
  task_not_found: { en: 'There is no such task', zh: '任务不存在' },
  area_not_found: { en: 'There is no such area', zh: '区域不存在' },
  schedule_not_found: { en: 'There is no such schedule', zh: '日程不存在' },
  schedule_exists: { en: 'The task is already scheduled on that day', zh: '该任务在这一天已有日程' },
  route_not_found: { en: 'There is no such endpoint', zh: '没有这个接口' },
  server_error: { en: 'The server failed to handle this request', zh: '服务器处理请求时出错' },
} as const satisfies Record<string, Record<Language, string>>;

export type MessageKey = keyof typeof messages;

export function isMessageKey(key: string): key is MessageKey {
  return Object.hasOwn(messages, key);
}

export function message(key: MessageKey, language: Language): string {
  return messages[key][language];
}

/** The best of the two languages for an `Accept-Language` header; English without one. */
export function languageOf(header: string | undefined | null): Language {
  const wanted = parseAccept(header ?? '').sort((a, b) => b.q - a.q);
  for (const { type } of wanted) {
    const base = type.toLowerCase().split('-')[0];
    if (base === 'en' || base === 'zh') return base;
  }
  return 'en';
}
