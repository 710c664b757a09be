import type { EventNode } from './node-events.js';

/** A file or folder of a user, as it is now; the same facts that events tell about one. */
export type FileNode = EventNode;

/** Port to the files; answered by the files room. */
export abstract class FileNodes {
  /**
   * @returns those the user may see, in the order asked for; ids of others are left out
   */
  abstract find(userId: string, fileIds: readonly number[]): Promise<FileNode[]>;
}
