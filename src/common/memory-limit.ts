import { totalmem } from 'node:os';

/** Of the container, if it has a limit, or of the machine. */
export function memoryBytes(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
