/** What a frame of the tests of kept conversations can do: a page of its own, with its own modules, that ends when the frame is removed. */
import { createConversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';

const page = { createConversation, internalsOf };
export type PageModules = typeof page;

Object.assign(window, { page });
