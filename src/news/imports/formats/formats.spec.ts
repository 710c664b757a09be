import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { parsed } from '../../../../test/news/imports/parsed.js';

const FILES = 'test/news/imports/files';

interface Expected {
  readonly format?: string;
  /** Of each row, what is not empty. */
  readonly rows?: readonly object[];
  readonly leftOut?: readonly string[];
  readonly feeds?: readonly object[];
  readonly opml?: number;
  readonly refused?: string;
}

const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync('test/news/imports/expected-rows.json', 'utf8'),
);

describe('a file of another program', () => {
  it('is among those whose rows are known', () => {
    expect(readdirSync(FILES).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it.each(Object.entries(EXPECTED))('has its articles: %s', async (name, expected) => {
    expect(await parsed(readFileSync(`${FILES}/${name}`))).toEqual(expected);
  });
});
