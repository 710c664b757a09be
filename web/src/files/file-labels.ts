import {
  File,
  FileArchive,
  FileAudio,
  FileCode,
  FileImage,
  FileSpreadsheet,
  FileText,
  FileVideo,
  Folder,
} from '@lucide/vue';
import type { Component } from 'vue';
import type { Entry } from './dav.js';

/** How the browser can preview a file without executing it. */
export type Preview = 'image' | 'audio' | 'video' | 'text' | 'pdf' | 'none';

export function previewOf({ mime, isFolder }: Entry): Preview {
  if (isFolder) {
    return 'none';
  }
  const [kind] = mime.split('/');
  if (kind === 'image' || kind === 'audio' || kind === 'video') {
    return kind;
  }
  if (mime === 'application/pdf') {
    return 'pdf';
  }
  return kind === 'text' || /[/+](json|xml|yaml|javascript|x-sh)$/.test(mime) ? 'text' : 'none';
}

const ICONS: readonly (readonly [RegExp, Component])[] = [
  [/^image\//, FileImage],
  [/^audio\//, FileAudio],
  [/^video\//, FileVideo],
  [/zip|tar|compressed|rar/, FileArchive],
  [/spreadsheet|excel|csv/, FileSpreadsheet],
  [/json|xml|javascript|html|css|x-sh/, FileCode],
  [/^text\/|pdf|document|word/, FileText],
];

export function iconOf({ mime, isFolder }: Pick<Entry, 'mime' | 'isFolder'>): Component {
  return isFolder ? Folder : (ICONS.find(([pattern]) => pattern.test(mime))?.[1] ?? File);
}
