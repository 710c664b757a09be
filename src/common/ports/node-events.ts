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
  /** Path of the parent folder in the user's files; `/` is the root. */
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

/** An event of a file or folder. */
export interface NodeEvent {
  readonly subtype: NodeEventSubtype;
  /** The actor. */
  readonly userId: string;
  /** The node; after a move, the new one. */
  readonly target: EventNode;
  /** The old node of a rename or copy. */
  readonly source?: EventNode;
}

/** Stores an event durably and quickly; within the transaction, if given. */
type NodeEventSubscriber = (event: NodeEvent, tx?: SqlRunner) => Promise<void>;

/** The files room publishes events; other rooms subscribe. */
export class NodeEvents {
  readonly #subscribers: NodeEventSubscriber[] = [];

  subscribe(subscriber: NodeEventSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  /**
   * Resolves when all subscribers have stored the event, not when they have processed it.
   *
   * @param tx the transaction of the change, for atomicity
   */
  async publish(event: NodeEvent, tx?: SqlRunner): Promise<void> {
    for (const subscriber of this.#subscribers) {
      await subscriber(event, tx);
    }
  }
}
