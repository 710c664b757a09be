/** Logged properties of an error: no others, which may have credentials or values of statements. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: unknown;
}

/** Serializer of the logs: reduces errors, keeps everything else. */
export function loggedError(value: unknown): unknown {
  return value instanceof Error ? describeError(value) : value;
}

export function describeError({ name, message, stack, cause }: Error): LoggedError {
  const causeForLog = cause instanceof Error ? { cause: describeError(cause) } : {};
  return { type: name, message, stack, ...causeForLog };
}
