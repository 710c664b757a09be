import { execFileSync } from 'node:child_process';
import { registerHooks } from 'node:module';

/**
 * Runs once before all specs, in jest's main process, where jest compiles TypeScript but does not
 * know that a file imported as `.js` is written in `.ts`.
 */
export default async function globalSetup(): Promise<void> {
  // The service serves the built pages; a second or two.
  execFileSync(process.execPath, [
    'node_modules/vite/bin/vite.js',
    'build',
    'web',
    '--logLevel',
    'warn',
  ]);
  const hooks = registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const written = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
      return nextResolve(written ? specifier.replace(/\.js$/, '.ts') : specifier, context);
    },
  });
  const { startTestServer } = await import('./test-server.js');
  const server = await startTestServer();
  globalThis.testServer = server;
  hooks.deregister();
  // Whoever breaks a run off leaves no database running.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void server.stop().finally(() => process.kill(process.pid, signal));
    });
  }
}
