/**
 * Kinds of errors of services. A filter maps them to HTTP statuses, so that services do not depend
 * on HTTP and both APIs share the errors.
 */
export type DomainErrorKind =
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'malformed'
  | 'invalid'
  | 'precondition-failed'
  | 'too-many'
  | 'unavailable'
  | 'storage-full';

/** A name in the sentence may be all that a request brought; each answer and log line has it again. */
const MOST_CHARACTERS = 4_000;

/**
 * An error that the client can act on. Its message is shown to the client: what failed, for which
 * object, and the remedy; no secrets or internals.
 */
export abstract class DomainError extends Error {
  abstract readonly kind: DomainErrorKind;

  /** Value of the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined = undefined;

  /** Value of the header `X-Gatefold-Error`, for errors that pages handle by themselves. */
  readonly code: string | undefined = undefined;

  /** Position in the text that cannot be read, in UTF-16 code units. */
  readonly at: number | undefined = undefined;

  /** What clients are told instead of a message that has internals, for operators. */
  readonly told: string | undefined = undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(
      message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message,
      options,
    );
    this.name = new.target.name;
  }
}

interface ErrorClass<Given extends readonly unknown[], Instance> {
  new (...given: Given): Instance;
  /** @throws this error if there is no value: null, undefined or false */
  unless<Value>(value: Value | null | undefined | false, ...given: Given): Value;
}

interface Details {
  readonly retryAfterSeconds?: number;
  readonly code?: string;
  readonly at?: number;
}

/**
 * Makes the parents of classes of errors. The constructor takes the values of the sentence, or without one
 * a message: `class FolderNotFound extends notFound((id: number) => `There is no folder ${id}.`) {}`.
 */
function errorsOf(kind: DomainErrorKind) {
  class OfKind extends DomainError {
    readonly kind = kind;
  }
  function parent(): typeof OfKind;
  function parent<Given extends readonly unknown[] = [], Told extends Details = {}>(
    sentence: string | ((...given: Given) => string),
    details?: Told | ((...given: Given) => Told),
  ): ErrorClass<Given, OfKind & Told>;
  function parent<Given extends readonly unknown[]>(
    sentence?: string | ((...given: Given) => string),
    details: Details | ((...given: Given) => Details) = {},
  ): object {
    if (sentence === undefined) {
      return OfKind;
    }
    const message = typeof sentence === 'string' ? () => sentence : sentence;
    const more = typeof details === 'function' ? details : () => details;
    return class extends OfKind {
      constructor(...given: Given) {
        super(message(...given));
        Object.assign(this, more(...given));
      }

      static unless<Value>(value: Value | null | undefined | false, ...given: Given): Value {
        if (value === null || value === undefined || value === false) {
          throw new this(...given);
        }
        return value;
      }
    };
  }
  return parent;
}

export const unauthenticated = errorsOf('unauthenticated');
export const forbidden = errorsOf('forbidden');
export const notFound = errorsOf('not-found');
export const conflict = errorsOf('conflict');
export const malformed = errorsOf('malformed');
export const invalid = errorsOf('invalid');
export const preconditionFailed = errorsOf('precondition-failed');
export const tooMany = errorsOf('too-many');
export const unavailable = errorsOf('unavailable');
export const storageFull = errorsOf('storage-full');

/** Input that violates a rule, for instance an empty folder name. */
export class InvalidInput extends invalid() {}
