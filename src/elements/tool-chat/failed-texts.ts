/**
 * What the launcher says when nothing else could be fetched: message and button. A copy of two texts of the catalogue, because sharing
 * them would cost every page a request of its own; a test keeps them equal.
 */
export const failedEn = ['Part of the assistant could not be loaded', 'Retry'] as const;
export const failedZh = ['助手的一部分无法加载', '重试'] as const;
