import { readFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';

/** Linux reports processor time in hundredths of a second on all hardware. */
const TICK_MS = 10;

/** Fields 14 and 15 of `/proc/PID/stat`, user and system time, as offsets after the program name. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/**
 * Processor time of a thread in milliseconds. Before Node.js 24.6 its busy time, which is longer on
 * a loaded machine.
 */
export async function processorMsOfThread(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== 'function') {
    return worker.performance.eventLoopUtilization().active;
  }
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    // The thread has not started yet or has ended.
    return 0;
  }
}

/** Processor time of another process in milliseconds; null where the platform does not report it. */
export async function processorMsOfProcess(pid: number | undefined): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * TICK_MS;
}
