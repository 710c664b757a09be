/**
 * `node --import ./test/support/run-typescript.mjs x.ts` runs the sources directly. Compiled files
 * are cached in node_modules/.cache, by the hash of all their inputs.
 */
import { transformSync, version } from '@swc/core';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/typescript/', import.meta.url));
const SETTINGS = readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8');
// The build excludes the specs.
const { exclude: _specs, $schema: _schema, ...swc } = JSON.parse(SETTINGS);

/** Path of a source → path of its source map; jest reads it for stack traces. */
export const sourceMaps = new Map();

mkdirSync(CACHE, { recursive: true });
registerHooks({
  // The sources name each other by whole paths, so there is nothing to look for.
  resolve: (specifier, context, nextResolve) =>
    specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')
      ? {
          url: new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL).href,
          format: 'module',
          shortCircuit: true,
        }
      : nextResolve(specifier, context),
  load: (url, context, nextLoad) =>
    url.endsWith('.ts')
      ? { format: 'module', source: compiled(fileURLToPath(url), url), shortCircuit: true }
      : nextLoad(url, context),
});

function compiled(filename, url) {
  const source = readFileSync(filename, 'utf8');
  const hash = createHash('sha256').update([version, SETTINGS, filename, source].join('\0'));
  const kept = `${CACHE}${hash.digest('hex').slice(0, 32)}`;
  sourceMaps.set(filename, `${kept}.map`);
  sourceMaps.set(url, `${kept}.map`);
  try {
    return readFileSync(`${kept}.js`, 'utf8');
  } catch {
    const { code, map } = transformSync(source, {
      ...swc,
      swcrc: false,
      filename,
      sourceMaps: true,
    });
    write(`${kept}.map`, map);
    const link = `\n//# sourceMappingURL=file://${kept}.map\n`;
    write(`${kept}.js`, code + link);
    return code + link;
  }
}

/** Atomically, since other processes read at the same time. */
function write(file, text) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}
