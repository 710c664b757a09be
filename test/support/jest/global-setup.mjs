import '../run-typescript.mjs';

/** Runs once before the specs of the project `api`, in jest's main process. */
export default async function globalSetup() {
  // In the workers, one would empty the folder while others serve from it.
  const { buildPages } = await import('../built-pages.ts');
  buildPages();
  const { startTestServer } = await import('../test-server.ts');
  const server = await startTestServer();
  globalThis.testServer = server;
  if (process.env.TEST_FILES_STORE === 's3') {
    const { objectStoreOfTheRun } = await import('../an-object-store.ts');
    globalThis.testObjectStore = await objectStoreOfTheRun();
  }
  // An interrupted run leaves no database running.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      void Promise.all([server.stop(), globalThis.testObjectStore?.stop()]).finally(() =>
        process.kill(process.pid, signal),
      );
    });
  }
}
