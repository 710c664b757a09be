import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

interface Rows {
  readonly ROWS: Readonly<Record<string, readonly string[]>>;
}

interface Drawing {
  readonly DOCUMENTS: readonly string[];
  withRows(document: string): string;
  subjectsIn(folder: string): readonly string[];
}

const { ROWS } = (await import('../lint/rows.mjs' as string)) as Rows;
const { DOCUMENTS, withRows, subjectsIn } = (await import(
  '../lint/draw-rows.mjs' as string
)) as Drawing;

describe.each(Object.entries(ROWS))('The rows of %s', (folder, rows) => {
  const named = rows.flatMap((row) => row.split(' '));

  it('name each of its subjects once, and nothing else', () => {
    const there = subjectsIn(folder);
    const isFile = (name: string) => /\.(?:ts|vue)$/.test(name);
    const own = there.filter((name) => isFile(name) && !named.includes(name));
    const folders = there.filter((name) => !isFile(name));
    const files = named.filter(isFile);

    expect(named.toSorted()).toEqual(
      [...folders, ...files, ...(own.length > 0 ? ['.'] : [])].toSorted(),
    );
    expect(files.filter((name) => !there.includes(name))).toEqual([]);
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('draws the rows as the linter has them (npm run rows)', () => {
    expect(readFileSync(new URL(`../${document}`, import.meta.url), 'utf8')).toBe(
      withRows(document),
    );
  });
});
