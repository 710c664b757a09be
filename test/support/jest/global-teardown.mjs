/** Runs once after all specs. */
export default async function globalTeardown() {
  await globalThis.testServer?.stop();
}
