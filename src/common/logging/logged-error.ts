import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SourcePositions } from './source-positions.js';

const positions = new SourcePositions(path.dirname(fileURLToPath(import.meta.url)));

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
  return { type: name, message, stack: stack && positions.inStack(stack), ...causeForLog };
}
