import '../run-typescript.mjs';

/** Runs once before the specs of the project `api`, in jest's main process. */
export default async function globalSetup() {
  const { startTestServer } = await import('../test-server.ts');
  const server = await startTestServer();
  globalThis.testServer = server;
  // An interrupted run leaves no database running.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      void server.stop().finally(() => process.kill(process.pid, signal));
    });
  }
}
