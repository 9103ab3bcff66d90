import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

let relay; // the build loads this file without the settings of the server
const answer = (request) => (relay ??= createRelay(relayOptionsFromEnv(process.env)))(request);
export const fallback = ({ request }) => answer(request);
