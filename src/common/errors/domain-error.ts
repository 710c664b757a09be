/**
 * The kinds of failure a service may report. A filter at the edge turns the kind into an HTTP
 * status, so that services stay free of HTTP and both APIs share the same errors.
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
 * A failure the person at the other end can understand and act on. Its message is shown to them:
 * it says what, which one and what helps, and holds no secret and no internals.
 */
export abstract class DomainError extends Error {
  abstract readonly kind: DomainErrorKind;

  /** When trying again makes sense, for the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined = undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Input that was understood but breaks a rule, for instance an empty folder name. */
export class InvalidInput extends DomainError {
  readonly kind = 'invalid';
}
