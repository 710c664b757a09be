import { readFileSync } from 'node:fs';

/** Version of Gatefold, from its package.json. */
export const GATEFOLD_VERSION = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
