import { describe, expect, it } from 'vitest';
import type { Entry } from './dav.js';
import { canTake, folderOf, foldersBelow, joined, numbered, topmost } from './paths.js';

const entry = (path: string, isFolder = false) => ({ path, isFolder }) as Entry;

it('A path ends in a name, which a folder precedes.', () => {
  expect([folderOf('a/b/c.png'), folderOf('c.png')]).toEqual(['a/b', '']);
  expect([joined('a/b', 'c.png'), joined('', 'c.png')]).toEqual(['a/b/c.png', 'c.png']);
});

it.each([
  ['cat.png', 'cat (2).png'],
  ['cat.tar.gz', 'cat.tar (2).gz'],
  ['cat', 'cat (2)'],
  ['.profile', '.profile (2)'],
])('The second %s is %s.', (name, second) => {
  expect(numbered(name, 2)).toBe(second);
});

it('Entries inside of others, which a search finds together, are left to those.', () => {
  const found = [entry('a', true), entry('a/b', true), entry('a/b/c'), entry('ab'), entry('d')];

  expect(topmost(found).map(({ path }) => path)).toEqual(['a', 'ab', 'd']);
  expect(topmost([entry('a'), entry('a/b')])).toHaveLength(2);
});

describe('A folder', () => {
  it.each([
    ['takes entries of another', 'a', ['b/c', 'd'], true],
    ['takes a folder whose name its own begins with', 'ab', ['a'], true],
    ['takes nothing', 'a', [], false],
    ['does not take what it has', 'a', ['b', 'a/c'], false],
    ['does not take itself', 'a/b', ['a/b'], false],
    ['does not take a folder that holds it', 'a/b/c', ['a'], false],
    ['at the top takes entries of others', '', ['a/b'], true],
    ['at the top does not take what it has', '', ['a'], false],
  ])('%s.', (_case, folder, paths, expected) => {
    expect(
      canTake(
        folder,
        paths.map((path) => entry(path)),
      ),
    ).toBe(expected);
  });

  it('is made with those above it, from the top, except those that exist', () => {
    expect(foldersBelow(1, 'a/b/c')).toEqual(['a/b', 'a/b/c']);
    expect(foldersBelow(0, 'a/b')).toEqual(['a', 'a/b']);
    expect([foldersBelow(2, 'a/b'), foldersBelow(0, '')]).toEqual([[], []]);
  });
});
