/** Value of a placeholder: `type`, `id`, `name` and further fields of its type. */
export type RichObject = Readonly<Record<string, unknown>>;

/** A text with `{placeholder}` tokens, and their values. */
export interface RichText {
  readonly text: string;
  readonly parameters: Readonly<Record<string, RichObject>>;
}

export interface NewNotification {
  /** The recipient. */
  readonly userId: string;
  /** The sender; see `NotificationSenders`. */
  readonly appId: string;
  /** Type of the subject, in the sender's terms. */
  readonly objectType: string;
  readonly objectId: string;
  readonly subject: RichText;
  readonly message: RichText;
  /** Absolute address; empty for none. */
  readonly link: string;
}

export interface Notification extends NewNotification {
  readonly id: number;
  /** Unix seconds. */
  readonly createdSeconds: number;
}

/** Port to notifications; implemented by `platform/notifications`. */
export abstract class NotificationCenter {
  abstract notify(notification: NewNotification): Promise<Notification>;

  /** Removes a sender's notifications to a user about one object. */
  abstract withdraw(
    about: Pick<NewNotification, 'userId' | 'appId' | 'objectType' | 'objectId'>,
  ): Promise<void>;

  /** Removes all notifications of a sender. */
  abstract forget(appId: string): Promise<void>;
}

/** Rooms contribute the visible senders; notifications of others are stored, but hidden. */
export class NotificationSenders {
  readonly #contributions: (() => Promise<readonly string[]>)[] = [];

  /** @param appIds called with each read */
  contribute(appIds: () => Promise<readonly string[]>): void {
    this.#contributions.push(appIds);
  }

  async seenNow(): Promise<readonly string[]> {
    const parts = await Promise.all(this.#contributions.map((appIds) => appIds()));
    return parts.flat();
  }
}
