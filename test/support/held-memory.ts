import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of buffers in this process that somebody still holds. */
export function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
