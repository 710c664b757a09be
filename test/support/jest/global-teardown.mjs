/** Runs once after all specs. */
export default async function globalTeardown() {
  await Promise.all([globalThis.testServer?.stop(), globalThis.testObjectStore?.stop()]);
}
