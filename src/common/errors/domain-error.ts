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

/**
 * An error that the client can act on. Its message is shown to the client: what failed, for which
 * object, and the remedy; no secrets or internals.
 */
export abstract class DomainError extends Error {
  abstract readonly kind: DomainErrorKind;

  /** For the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined = undefined;

  /** For the header `X-Gatefold-Error`: what pages react to by themselves. */
  readonly code: string | undefined = undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The parent of a class of errors whose constructor takes what its sentence names:
 * `class FolderNotFound extends errorOf('not-found', (id: number) => `There is no folder ${id}.`) {}`.
 */
export function errorOf<Given extends readonly unknown[] = []>(
  kind: DomainErrorKind,
  sentence: string | ((...given: Given) => string),
  also: { readonly retryAfterSeconds?: number; readonly code?: string } = {},
) {
  return class extends DomainError {
    readonly kind = kind;
    override readonly retryAfterSeconds = also.retryAfterSeconds;
    override readonly code = also.code;

    constructor(...given: Given) {
      super(typeof sentence === 'string' ? sentence : sentence(...given));
    }
  };
}

/** Input that violates a rule, for instance an empty folder name. */
export class InvalidInput extends DomainError {
  readonly kind = 'invalid';
}
