/**
 * The message and button that the launcher shows if nothing else could be loaded. They are a copy of two texts of the catalog, because
 * sharing them would cost every page a request. A test keeps them equal.
 */
export const failedEn = ['Part of the assistant could not be loaded', 'Retry'] as const;
export const failedZh = ['助手的一部分无法加载', '重试'] as const;
