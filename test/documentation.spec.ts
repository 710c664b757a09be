import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { SETTINGS } from '../src/common/config/config.js';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('docs/configuration.md', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)];
  const table = new Map(rows.map(([, name, fallback, meaning]) => [name, { fallback, meaning }]));

  it.each(Object.entries(SETTINGS.shape))('describes %s as the program does', (name, schema) => {
    const row = table.get(name);

    expect(row?.meaning).toBe(schema.description);
    expect(row?.fallback).toBe(shown(schema.safeParse(undefined).data));
  });

  it('describes nothing else', () => {
    expect([...table.keys()]).toEqual(Object.keys(SETTINGS.shape));
  });

  function shown(fallback: unknown): string {
    if (fallback === undefined) {
      return 'unset';
    }
    if (Array.isArray(fallback)) {
      return 'none';
    }
    return `\`${typeof fallback === 'boolean' ? (fallback ? 'on' : 'off') : String(fallback)}\``;
  }
});
