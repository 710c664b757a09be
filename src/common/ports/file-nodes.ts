import type { EventNode } from './node-events.js';
import { Offer } from './offer.js';

/** Current state of a user's file or folder, with the same fields as in events. */
export type FileNode = EventNode;

/** Port to the files; implemented by the files room. */
export interface FileNodes {
  /** @returns the files that the user may see, in the given order; others are omitted */
  find(userId: string, fileIds: readonly number[]): Promise<FileNode[]>;
  /** @param names from the top folder down */
  hasFolder(userId: string, names: readonly string[]): Promise<boolean>;
}

export class FileNodesOffer extends Offer<FileNodes> {}
