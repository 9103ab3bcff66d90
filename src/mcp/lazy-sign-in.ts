/** The sign-in code, loaded as one chunk when a server requires it. */
export { createAccess } from './sign-in.js';
export { showSignInBar } from './sign-in-bar.js';
