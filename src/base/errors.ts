/** The types of all errors that the project reports. */

/** The error codes of a tool call. */
export type ErrorCode =
  | 'TOOL_NOT_FOUND'
  | 'MISSING_PARAMETER'
  | 'INVALID_PARAMETER'
  | 'EXECUTION_FAILED'
  | 'API_ERROR'
  | 'TIMEOUT'
  | 'DENIED'
  | 'CANCELLED'
  | 'INTERRUPTED'
  | 'MALFORMED_CALL';

/** The class of an error; the recovery strategy depends on it. */
export type ErrorType = 'rate_limit' | 'auth' | 'network' | 'timeout' | 'empty_result' | 'invalid_format';

/** The layer in which an error occurred. */
export type ErrorLayer = 'network' | 'parse' | 'execution' | 'business';

export type ChatErrorCode =
  | 'CONNECT_FAILED'
  | 'REQUEST_TIMEOUT'
  | 'STREAM_CUT'
  | 'HTTP_ERROR'
  | 'ENDPOINT_ERROR'
  | 'BAD_RESPONSE'
  | 'TOO_LARGE'
  | 'LIMIT'
  | 'STORAGE'
  | 'CONFIG'
  | ErrorCode;

/** An error of a turn, as plain data. `message` is for people and never holds a response body, a key or a stack. */
export interface ChatError {
  code: ChatErrorCode;
  layer: ErrorLayer;
  errorType?: ErrorType;
  message: string;
  /** The HTTP status, if there was one. */
  status?: number;
  /** True if sending the same request again can help. */
  retryable: boolean;
}

/** An error for tools that want to report more than a message: the call then ends with exactly these fields. */
export class ToolError extends Error {
  readonly code?: ErrorCode;
  readonly errorType?: ErrorType;
  /** HTTP status of the service behind the tool. */
  readonly status?: number;
  readonly data?: unknown;

  constructor(
    message: string,
    details: { code?: ErrorCode; errorType?: ErrorType; status?: number; data?: unknown; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ToolError';
    if (details.code !== undefined) this.code = details.code;
    if (details.errorType !== undefined) this.errorType = details.errorType;
    if (details.status !== undefined) this.status = details.status;
    if (details.data !== undefined) this.data = details.data;
  }
}
