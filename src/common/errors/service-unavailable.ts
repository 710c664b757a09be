/**
 * A dependency of all requests is temporarily unavailable. Not a `DomainError`, so that services do
 * not treat it as a failed operation. Its message is shown to the client.
 */
export abstract class ServiceUnavailable extends Error {
  /** Value of the `Retry-After` header. */
  abstract readonly retryAfterSeconds: number;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
