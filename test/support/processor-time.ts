/**
 * The CPU time of work in this process, in milliseconds. Unlike wall-clock time it does not depend
 * on the load of the machine.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
