/**
 * Something that every request needs is away for a moment. Not a `DomainError`: services must not
 * take it for a failure of what they were asked to do. Its message is shown to the client.
 */
export abstract class ServiceUnavailable extends Error {
  /** For the `Retry-After` header. */
  abstract readonly retryAfterSeconds: number;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
