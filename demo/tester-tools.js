/** Tools of the tester: one that reads, one that writes, one that cannot be undone, and an object with methods. No server. */

const en = {
  title: 'Tool calling tester',
  back: 'Tasks',
  skip: 'Skip to the tester',
  chat: 'Chat',
  tester: 'Tester',
  quickCommands: ['What notes are there?', 'Add the note “Water the plants”', 'Which days are free?'],
  listNotes: ['List notes', 'Lists all notes.'],
  addNote: ['Add note', 'Adds a note.'],
  noteText: 'What the note says',
  importance: 'How important it is',
  remind: 'The day to be reminded of it',
  removeNote: ['Remove note', 'Removes a note for good.'],
  calendar: 'Calendar',
  freeDays: ['Free days', 'Finds the free days of a week.'],
  week: 'Number of the week, 1 to 53',
  days: ['Monday', 'Thursday'],
  notes: ['Call the dentist', 'Buy rice'],
  added: (note) => `Note “${note}” added`,
  removed: (note) => `Note “${note}” removed`,
  unknown: (note) => `There is no note “${note}”`,
  removeSentence: (note) => `Remove the note “${note}”`,
  comma: ', ',
};

const zh = {
  title: '工具调用测试',
  back: '任务',
  skip: '跳到测试器',
  chat: '对话',
  tester: '测试器',
  quickCommands: ['有哪些笔记？', '添加笔记「给植物浇水」', '哪几天有空？'],
  listNotes: ['查看笔记', '列出所有笔记。'],
  addNote: ['添加笔记', '添加一条笔记。'],
  noteText: '笔记内容',
  importance: '重要程度',
  remind: '提醒日期',
  removeNote: ['删除笔记', '永久删除一条笔记。'],
  calendar: '日历',
  freeDays: ['空闲日', '查找一周中空闲的日子。'],
  week: '第几周，1 到 53',
  days: ['星期一', '星期四'],
  notes: ['给牙医打电话', '买大米'],
  added: (note) => `已添加笔记「${note}」`,
  removed: (note) => `已删除笔记「${note}」`,
  unknown: (note) => `没有笔记「${note}」`,
  removeSentence: (note) => `删除笔记「${note}」`,
  comma: '、',
};

export const testerTexts = (lang) => (lang.startsWith('zh') ? zh : en);

export function testerTools(text) {
  const notes = new Set(text.notes);
  const note = { type: 'string', minLength: 1, maxLength: 80, description: text.noteText };
  const named = ([label, description]) => ({ label, description });
  const tools = [
    {
      name: 'list_notes',
      ...named(text.listNotes),
      icon: '📋',
      risk: 'query',
      parameters: { type: 'object', properties: {} },
      execute: () => ({ success: true, message: [...notes].join(text.comma), data: [...notes] }),
    },
    {
      name: 'add_note',
      ...named(text.addNote),
      icon: '📝',
      risk: 'write',
      parameters: {
        type: 'object',
        properties: {
          note,
          importance: { type: 'string', enum: ['low', 'normal', 'high'], description: text.importance },
          remind: { type: 'string', format: 'date', description: text.remind },
        },
        required: ['note'],
      },
      execute(args) {
        notes.add(args.note);
        return { success: true, message: text.added(args.note) };
      },
    },
    {
      name: 'remove_note',
      ...named(text.removeNote),
      icon: '🗑️',
      risk: 'danger',
      parameters: { type: 'object', properties: { note }, required: ['note'] },
      describeCall: (args) => text.removeSentence(args.note),
      execute(args) {
        if (!notes.delete(args.note)) throw new Error(text.unknown(args.note));
        return { success: true, message: text.removed(args.note) };
      },
    },
  ];
  const calendar = {
    getMetadata: () => ({
      id: 'calendar',
      name: text.calendar,
      methods: [
        {
          name: 'free_days',
          displayName: text.freeDays[0],
          description: text.freeDays[1],
          agentCallable: true,
          risk: 'query',
          parameters: {
            type: 'object',
            properties: { week: { type: 'integer', minimum: 1, maximum: 53, description: text.week } },
            required: ['week'],
          },
        },
      ],
    }),
    free_days: () => text.days,
  };
  return { tools, calendar };
}
