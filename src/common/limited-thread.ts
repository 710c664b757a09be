import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread whose heap has limits of its own.
 *
 * @param file its program
 */
export function startLimitedThread(
  file: URL,
  options: WorkerOptions & Required<Pick<WorkerOptions, 'resourceLimits'>>,
): Worker {
  // A flag of the process, as the launcher sets it, would overrule the limit. The main thread has its size by now.
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(file, options);
}
