/** What a placeholder stands for: `type`, `id`, `name` and whatever else its type has. */
export type RichObject = Readonly<Record<string, unknown>>;

/** A text with `{placeholder}` tokens, and what they stand for. */
export interface RichText {
  readonly text: string;
  readonly parameters: Readonly<Record<string, RichObject>>;
}

export interface NewNotification {
  /** Who is to see it. */
  readonly userId: string;
  /** Who has something to say; see `NotificationSenders`. */
  readonly appId: string;
  /** What it is about, in the sender's words. */
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

/** Port to what is put before users; answered by `platform/notifications`. */
export abstract class NotificationCenter {
  abstract notify(notification: NewNotification): Promise<Notification>;

  /** Takes back what a sender said to a user about one thing, because it is settled. */
  abstract withdraw(
    about: Pick<NewNotification, 'userId' | 'appId' | 'objectType' | 'objectId'>,
  ): Promise<void>;

  /** Takes back everything that a sender ever said, because it is gone for good. */
  abstract forget(appId: string): Promise<void>;
}

/** Where rooms say whose notifications may be seen now; those of all others are kept, but hidden. */
export class NotificationSenders {
  readonly #contributions: (() => Promise<readonly string[]>)[] = [];

  /** @param appIds asked each time that notifications are shown */
  contribute(appIds: () => Promise<readonly string[]>): void {
    this.#contributions.push(appIds);
  }

  async seenNow(): Promise<readonly string[]> {
    const parts = await Promise.all(this.#contributions.map((appIds) => appIds()));
    return parts.flat();
  }
}
