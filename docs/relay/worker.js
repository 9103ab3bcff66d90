import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay'; // npm install tool-chat

let relay;

export default {
  fetch(request, env) {
    relay ??= createRelay({
      ...relayOptionsFromEnv(env),
      logger: console, // there is no pino
      resumeWindow: 0, // one request cannot read what another began
      clientAddress: (asking) => asking.headers.get('cf-connecting-ip') ?? undefined,
    });
    return relay(request);
  },
};
