import type { Readable } from 'node:stream';
import { Offer } from './offer.js';

/** Content of a file, to be streamed. */
export interface FileContent {
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** @param part first and last byte, both included; default: everything */
  read(part?: { readonly start: number; readonly end: number }): Readable;
}

/** Port to the content of users' files; implemented by the files room. */
export interface FileContents {
  /** @returns null for a folder, and for content that the user may not read */
  find(userId: string, fileId: number): Promise<FileContent | null>;
}

export class FileContentsOffer extends Offer<FileContents> {}
