import { storageFull } from './domain-error.js';

/** The disk is nearly full. Remedy: delete data, or the operator adds space. */
export class StorageFull extends storageFull(
  'The disk of this installation is nearly full. Nothing is stored until space is freed.',
) {}
