/** Taken before any page script can replace them: what a person answered is not to be read as something else. */
export const { apply } = Reflect;
export const { isArray } = Array;
const { normalize, split, toLowerCase, trim } = String.prototype;
export const textFunctions = { normalize, split, toLowerCase, trim };
