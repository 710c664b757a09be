import { findPackageJSON } from 'node:module';
import path from 'node:path';

/** The folder of package.json, for sources and for what is built from them. */
export const PACKAGE_ROOT = path.dirname(findPackageJSON('.', import.meta.url) ?? '');

/** @param name of a file or folder of the package */
export function inPackage(name: string): string {
  return path.join(PACKAGE_ROOT, name);
}
