/** `node --import ./test/support/run-typescript.mjs x.ts` runs the sources as they are. */
import { transformSync } from '@swc/core';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const written = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
    return nextResolve(written ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load: (url, context, nextLoad) => {
    if (!url.endsWith('.ts')) {
      return nextLoad(url, context);
    }
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      filename,
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
