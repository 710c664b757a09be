import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. This file is two folders below it in `src`, three when built. */
export const PACKAGE_ROOT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../..' : '../../..', import.meta.url),
);

/** @param name of a file or folder of the package */
export function inPackage(name: string): string {
  return path.join(PACKAGE_ROOT, name);
}
