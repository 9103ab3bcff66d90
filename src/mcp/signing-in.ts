/** What lets a person sign in, loaded as one when a server wants it. */
export { createAccess } from './sign-in.js';
export { askInBar } from './sign-in-bar.js';
