import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

const relay = createRelay(relayOptionsFromEnv(process.env));
export default defineEventHandler((event) => relay(toWebRequest(event)));
