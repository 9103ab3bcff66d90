/** The keys, channels and scripts that the relay uses in Redis. */

export const keys = {
  stream: (id: string) => `tool-chat:stream:${id}`,
  about: (id: string) => `tool-chat:about:${id}`,
  position: (id: string) => `tool-chat:position:${id}`,
  relay: (owner: string) => `tool-chat:relay:${owner}`,
  rate: (client: string) => `tool-chat:rate:${client}`,
  state: (key: string) => `tool-chat:state:${key}`,
};
export const channels = {
  added: (id: string) => `tool-chat:added:${id}`,
  orders: (owner: string) => `tool-chat:orders:${owner}`,
};

/** The bucket of `rate-limit.ts` as a script. It uses the clock of Redis, so that relays need not agree on the time. */
export const TAKE_TOKEN = `
local size, per = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = math.min(size, (tonumber(last[1]) or size) + math.max(0, now - (tonumber(last[2]) or now)) * size / per)
local taken = tokens >= 1
redis.call('HSET', KEYS[1], 'tokens', tostring(taken and tokens - 1 or tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(per) + 1000)
if taken then return 0 end
return math.max(1, math.ceil((1 - tokens) * per / size / 1000))`;

/** Sets a value if its version is the expected one, in one step. */
export const SWAP = `
local version = tonumber(redis.call('HGET', KEYS[1], 'version')) or 0
if version ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', version + 1, 'value', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;
