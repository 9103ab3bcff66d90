import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

let relay; // `next build` loads this file without the settings of the server
const answer = (request) => (relay ??= createRelay(relayOptionsFromEnv(process.env)))(request);
export { answer as DELETE, answer as GET, answer as POST };
