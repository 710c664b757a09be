import type { FileToUpload } from './upload.store.js';

/** All dropped files, including those in dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<FileToUpload[]> {
  // The list is emptied after this tick, so all entries are read synchronously.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found = await Promise.all(entries.map(filesOf));
  return found.flat();
}

async function filesOf(entry: FileSystemEntry): Promise<FileToUpload[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    return [{ file, relativePath: entry.fullPath.replace(/^\//, '') }];
  }
  const children = await childrenOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(children.map(filesOf))).flat();
}

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) {
      return all;
    }
    all.push(...some);
  }
}

export function chosenFiles(list: FileList): FileToUpload[] {
  return [...list].map((file) => ({
    file,
    relativePath: file.webkitRelativePath || file.name,
  }));
}
