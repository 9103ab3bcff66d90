/** All texts of the page of files. */

const en = {
  title: 'Files',
  intro:
    'A small file system that lives in this browser. The assistant lists, reads and writes it, and runs code in an empty sandbox. Nothing runs by itself here: you start each call with a click, and a write can be undone.',
  notation: 'How the model writes calls',
  assistant: 'File assistant',
  placeholder: 'Ask about your files…',
  quickCommands: ['List the files', 'Read “/notes/ideas.md”', 'Write “buy milk” to “/notes/today.txt”', 'Run the code “6 * 7”'],
  systemPrompt: 'You look after the user’s files, and can calculate with JavaScript.\n\n{{tools}}',
  files: 'Files in this browser',
  newFile: 'New file',
  newName: 'Path of the new file',
  newDefault: '/notes/new.txt',
  noName: (path) => `“${path}” cannot be created here.`,
  content: 'Content of the file',
  save: 'Save',
  remove: 'Delete',
  removeAsk: (path) => `Delete “${path}”? This cannot be undone.`,
  leave: (path) => `“${path}” has changes that are not saved. Leave them?`,
  unsaved: 'Not saved',
  saved: 'Saved',
  notSaved: 'The browser could not save it',
  updated: 'Changed just now',
  changedBelow: 'Changed elsewhere in the meantime. Your text is still here; Save overwrites the other change.',
  removedBelow: 'Deleted elsewhere in the meantime. Your text is still here; Save creates the file again.',
  empty: 'No files yet',
  samples: {
    '/notes/ideas.md': '# Ideas\n\n- A bench under the apple tree\n- Bake bread on Sunday\n',
    '/readme.txt': 'These files are kept in your browser only.\n',
  },
};

const zh = {
  title: '文件',
  intro:
    '一个保存在这个浏览器里的小文件系统。助手可以列出、读取和写入文件，也能在空的沙箱里运行代码。这里没有任何操作会自动执行：每次调用都等你点击，写入也可以撤销。',
  notation: '模型书写调用的方式',
  assistant: '文件助手',
  placeholder: '想对文件做什么？',
  quickCommands: ['列出文件', '读取「/notes/ideas.md」', '把「买牛奶」写入「/notes/today.txt」', '运行代码「6 * 7」'],
  systemPrompt: '你负责管理访客的文件，也可以用 JavaScript 计算。\n\n{{tools}}',
  files: '此浏览器中的文件',
  newFile: '新建文件',
  newName: '新文件的路径',
  newDefault: '/notes/新文件.txt',
  noName: (path) => `无法在这里创建「${path}」。`,
  content: '文件内容',
  save: '保存',
  remove: '删除',
  removeAsk: (path) => `删除「${path}」？此操作无法撤销。`,
  leave: (path) => `「${path}」有未保存的修改。要放弃吗？`,
  unsaved: '未保存',
  saved: '已保存',
  notSaved: '浏览器没有保存成功',
  updated: '刚刚更新',
  changedBelow: '期间被其他操作改动过。你写的内容还在，保存会覆盖它。',
  removedBelow: '期间被其他操作删除。你写的内容还在，保存会重新创建文件。',
  empty: '还没有文件',
  samples: {
    '/notes/ideas.md': '# 想法\n\n- 苹果树下放一张长椅\n- 周日烤面包\n',
    '/readme.txt': '这些文件只保存在你的浏览器里。\n',
  },
};

export const fileTexts = { en, zh };
