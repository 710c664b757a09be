// Starts the worker from its source, for tests and other uncompiled runs: Node strips the types,
// and an import that names the compiled file is led to its source. Never part of a build's path.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isOwnSource = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
    return nextResolve(isOwnSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

await import('./read-import.worker.ts');
