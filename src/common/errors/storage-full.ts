import { DomainError } from './domain-error.js';

/** The disk is short of space. Only the operator, or removing something, helps. */
export class StorageFull extends DomainError {
  readonly kind = 'storage-full';

  constructor() {
    super('The disk of this installation is nearly full. Nothing is stored until there is room.');
  }
}
