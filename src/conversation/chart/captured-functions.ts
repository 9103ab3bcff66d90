/** References taken before page scripts can replace these functions, so that they cannot alter how the user's answer is read. */
export const { apply } = Reflect;
export const { isArray } = Array;
const { normalize, split, toLowerCase, trim } = String.prototype;
export const textFunctions = { normalize, split, toLowerCase, trim };
