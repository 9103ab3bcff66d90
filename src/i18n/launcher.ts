/** The words of the round button, which stands before any catalogue is loaded; both catalogues take theirs from here. */
export const launcherEn = { open: 'Open the assistant', closePanel: 'Close the assistant' };
export const launcherZh: typeof launcherEn = { open: '打开助手', closePanel: '关闭助手' };
