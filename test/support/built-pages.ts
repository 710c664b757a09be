import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Inside the build, so that any other build deletes it. */
const STAMP = path.join(ROOT, 'web/dist/.built-from');

const SOURCES = [
  'package-lock.json',
  'web/vite.config.ts',
  'web/tsconfig.json',
  'web/src/**/*',
  'web/public/**/*',
];

/**
 * Builds the pages that the service serves, unless web/dist has the build of the current sources.
 */
export function buildPages(): void {
  const sources = hashOfSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) {
    return;
  }
  execFileSync(
    process.execPath,
    ['node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn'],
    // As for users: jest's own value would build for development.
    { cwd: ROOT, env: { ...process.env, NODE_ENV: 'production' } },
  );
  writeFileSync(STAMP, sources);
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    hash.update(`${path.relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}
