import type { EventNode } from './node-events.js';

/** Current state of a user's file or folder, with the same fields as in events. */
export type FileNode = EventNode;

/** Port to the files; implemented by the files room. */
export abstract class FileNodes {
  /** @returns those that the user may see, in the given order; others are omitted */
  abstract find(userId: string, fileIds: readonly number[]): Promise<FileNode[]>;
}
