/** The few words the launcher needs before any catalogue is loaded; both catalogues take theirs from here. */
export const launcherEn = {
  open: 'Open the assistant',
  closePanel: 'Close the assistant',
  loadFailed: 'Part of the assistant could not be loaded',
  retry: 'Retry',
};

export const launcherZh: typeof launcherEn = {
  open: '打开助手',
  closePanel: '关闭助手',
  loadFailed: '助手的一部分无法加载',
  retry: '重试',
};
