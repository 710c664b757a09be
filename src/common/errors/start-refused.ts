/**
 * The service cannot start, and the operator can fix it. The message has cause and remedy; printed
 * without a stack trace.
 */
export class StartRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartRefused';
  }
}
