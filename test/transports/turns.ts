/** Turns that the request tests of all wires share. */
import type { TurnRequest } from '../../src/transports/wire.js';

export const turn: TurnRequest = { messages: [{ role: 'user', text: '你好' }], system: 'Be brief.', maxTokens: 2000, stream: true };

export const PNG = 'data:image/png;base64,iVBORw0KGgo=';

/** A picture that comes with the message, one on the web, and something that is none. */
export const withPictures: TurnRequest = {
  ...turn,
  messages: [
    {
      role: 'user',
      text: 'What is this?',
      attachments: [
        { type: 'image/png', name: 'cat.png', url: PNG },
        { type: 'image/jpeg', name: 'dog.jpg', url: 'https://x.example/dog.jpg' },
        { type: 'application/pdf', name: 'a.pdf', url: 'data:application/pdf;base64,AA==' },
      ],
    },
  ],
};

const parameters = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };

/** Two calls in one reply and their results, the second failed, and what the user says then. */
export const withTools: TurnRequest = {
  ...turn,
  messages: [
    { role: 'user', text: 'What is due?' },
    {
      role: 'assistant',
      text: 'Checking.',
      toolCalls: [
        { id: 'call_a', name: 'list_tasks', arguments: { day: '2026-11-21' }, signature: 'c2ln' },
        { id: 'call_b', name: 'get_user', arguments: {} },
      ],
    },
    { role: 'tool', text: '[]', toolCallId: 'call_a', toolName: 'list_tasks' },
    { role: 'tool', text: 'no user', toolCallId: 'call_b', toolName: 'get_user', failed: true },
    { role: 'user', text: 'And?' },
  ],
  tools: [
    {
      name: 'list_tasks',
      description: 'Lists tasks.',
      parameters: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...parameters },
    },
    { name: 'get_user', description: 'Who asks.' },
  ],
};
