import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { SETTINGS } from '../src/common/config/config.js';
import { DEFAULT_LIMITS } from '../src/common/config/limits.js';

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
    if (typeof fallback === 'object') {
      return 'none';
    }
    return `\`${typeof fallback === 'boolean' ? (fallback ? 'on' : 'off') : String(fallback)}\``;
  }
});

describe('docs/operations.md', () => {
  const rows = read('docs/operations.md').matchAll(/^\| `([a-z-]+)` \| ([\d,]+) \|/gm);
  const table = [...rows].map(([, name, limit = '']) => [name, Number(limit.replaceAll(',', ''))]);

  it('names every limit of known users and apps with its default, and nothing else', () => {
    expect(Object.fromEntries(table)).toEqual(DEFAULT_LIMITS);
  });
});
