import type { Entry } from './dav.js';

/** Path of the parent folder. */
export function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

export function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** `cat.png` becomes `cat (2).png`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

/** Removes entries inside of others, which a search finds together. */
export function topmost(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(
    ({ path }) => !entries.some((other) => other.isFolder && path.startsWith(`${other.path}/`)),
  );
}

/** Whether entries can be moved into a folder: none is there already, is that folder, or holds it. */
export function canTake(folder: string, entries: readonly Pick<Entry, 'path'>[]): boolean {
  return (
    entries.length > 0 &&
    entries.every(
      ({ path }) => folderOf(path) !== folder && path !== folder && !folder.startsWith(`${path}/`),
    )
  );
}

/** Folders of a path below its first `knownDepth`, from the top. */
export function foldersBelow(knownDepth: number, folder: string): string[] {
  const parts = folder.split('/').filter(Boolean);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/')).slice(knownDepth);
}
