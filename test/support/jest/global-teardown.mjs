/** Runs once after all specs. */
export default async function globalTeardown() {
  await Promise.all(globalThis.atEndOfRun?.map((end) => end()) ?? []);
  await Promise.all([globalThis.testServer?.stop(), globalThis.testObjectStore?.stop()]);
}
