/**
 * The CPU time of work in this thread, in milliseconds. Unlike wall-clock time it does not depend on the
 * load of the machine, and unlike that of the process not on what other threads collect or compile.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
