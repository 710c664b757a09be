import type { SqlRunner } from '../sql-runner.js';

export const NODE_EVENT_SUBTYPES = [
  'NodeCreatedEvent',
  'NodeTouchedEvent',
  'NodeWrittenEvent',
  'NodeDeletedEvent',
  'NodeRenamedEvent',
  'NodeCopiedEvent',
] as const;

export type NodeEventSubtype = (typeof NODE_EVENT_SUBTYPES)[number];

/** A file or folder as it was when the event happened. */
export interface EventNode {
  readonly fileId: number;
  readonly name: string;
  /** Of the user, without the name; `/` is the top. */
  readonly directory: string;
  readonly etag: string;
  readonly mime: string;
  readonly fileType: 'file' | 'dir';
  readonly mtimeSeconds: number;
  readonly sizeBytes: number;
  readonly favorite: boolean;
  /** Bit mask: 1 read, 2 update, 4 create, 8 delete, 16 share. */
  readonly permissions: number;
  readonly userId: string;
  readonly instanceId: string;
  readonly share?: {
    readonly ownerName: string;
    readonly ownerId: string;
    readonly types?: number;
    readonly attributes?: number;
    readonly permissions?: number;
  };
}

/** Something happened to a file or folder. */
export interface NodeEvent {
  readonly subtype: NodeEventSubtype;
  /** Who did it. */
  readonly userId: string;
  /** The node, after a change of place at its new one. */
  readonly target: EventNode;
  /** Of a rename or a copy: the node at its old place. */
  readonly source?: EventNode;
}

/** Takes note of an event durably; does nothing slow. Part of the transaction, if there is one. */
type NodeEventSubscriber = (event: NodeEvent, tx?: SqlRunner) => Promise<void>;

/** Where the files make known what happens to them, and other rooms take note of it. */
export class NodeEvents {
  readonly #subscribers: NodeEventSubscriber[] = [];

  subscribe(subscriber: NodeEventSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  /**
   * Returns when every subscriber has noted the event, not when anybody has acted on it.
   *
   * @param tx the transaction of the change itself, so that one is never without the other
   */
  async publish(event: NodeEvent, tx?: SqlRunner): Promise<void> {
    for (const subscriber of this.#subscribers) {
      await subscriber(event, tx);
    }
  }
}
