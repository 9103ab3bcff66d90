/** The protocols a conversation can use: those of the host before the built-in ones, and of each only as much as is needed. */
import type { Log } from '../logging.js';
import { builtIn, builtInReaders } from '../protocols/built-in.js';
import type { ProtocolReader, ToolProtocol } from '../protocols/protocol.js';

export interface Protocols {
  register(protocol: ToolProtocol): () => void;
  /** An id that exists: this one, or the default with a warning. */
  known(id: string): string;
  /** The half that reads; `id` exists. */
  reader(id: string): Promise<ProtocolReader>;
  whole(id: string): Promise<ToolProtocol>;
}

export function createProtocols(log: Log): Protocols {
  const own = new Map<string, ToolProtocol>();
  return {
    register(protocol) {
      own.set(protocol.id, protocol);
      return () => void own.delete(protocol.id);
    },
    known(id) {
      if (own.has(id) || builtIn[id]) return id;
      log.warn('config.protocol', `There is no protocol named “${id}”; using xml-invoke`, { id });
      return 'xml-invoke';
    },
    reader: async (id) => own.get(id) ?? builtInReaders[id]!(),
    whole: async (id) => own.get(id) ?? builtIn[id]!(),
  };
}
