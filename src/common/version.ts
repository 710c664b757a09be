import { readFileSync } from 'node:fs';
import { inPackage } from './package-root.js';

/** Version of Gatefold, from its package.json. */
export const GATEFOLD_VERSION = readVersion();

function readVersion(): string {
  const text = readFileSync(inPackage('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
