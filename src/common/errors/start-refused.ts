/**
 * The service cannot start as things are, and whoever operates it can change that. The message says
 * what is wrong and what helps; it is printed without a stack trace.
 */
export class StartRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartRefused';
  }
}
