/** The texts of the launcher button. It appears before any catalog is loaded, and the catalogs reuse these texts. */
export const launcherEn = { open: 'Open the assistant', closePanel: 'Close the assistant' };
export const launcherZh: typeof launcherEn = { open: '打开助手', closePanel: '关闭助手' };
export const launcherAr: typeof launcherEn = { open: 'فتح المساعد', closePanel: 'إغلاق المساعد' };
export const launcherDe: typeof launcherEn = { open: 'Assistent öffnen', closePanel: 'Assistent schließen' };
export const launcherEs: typeof launcherEn = { open: 'Abrir el asistente', closePanel: 'Cerrar el asistente' };
export const launcherFr: typeof launcherEn = { open: 'Ouvrir l’assistant', closePanel: 'Fermer l’assistant' };
export const launcherJa: typeof launcherEn = { open: 'アシスタントを開く', closePanel: 'アシスタントを閉じる' };
