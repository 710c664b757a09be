/** Runs once after all specs. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.testServer?.stop();
}
