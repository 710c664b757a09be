import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of reachable buffers in this process. */
export function heldBytes(): number {
  collectGarbage();
  // Buffers are freed in the background; a second collection waits for that.
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
