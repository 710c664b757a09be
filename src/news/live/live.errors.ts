import { DomainError } from '../../common/errors/domain-error.js';

export class ServiceIsStopping extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('The service is stopping; try again in a moment.');
  }
}
