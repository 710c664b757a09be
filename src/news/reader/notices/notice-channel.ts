import type { WebhookForm } from './notice.entities.js';

/** The sealed part of a channel. Absent values are empty. */
export interface ChannelAddress {
  /** Of a webhook, or the endpoint of a push subscription. */
  readonly url: string;
  /** Signs or authorises; the form says how. */
  readonly secret: string;
  /** Whom the server of the form tells: a user key, or addresses of Apprise. */
  readonly recipient: string;
  /** Keys of a push subscription (RFC 8291), base64url. */
  readonly p256dh: string;
  readonly auth: string;
  /** The external app. */
  readonly appId: string;
}

/** A channel with its address opened, to send by. */
export interface OpenChannel {
  readonly form: WebhookForm | null;
  readonly address: ChannelAddress;
  readonly userId: string;
}

/** What became of an attempt to send. */
export type Sent =
  | { readonly result: 'sent' }
  /** @property afterSeconds as the server asked; null: by the schedule */
  | { readonly result: 'later'; readonly error: string; readonly afterSeconds: number | null }
  /** Another attempt would be refused, too. @property channel what happens to the channel */
  | {
      readonly result: 'refused';
      readonly error: string;
      readonly channel: 'stays' | 'is off' | 'is removed';
    };

export const SENT: Sent = { result: 'sent' };

export function later(error: string, afterSeconds: number | null = null): Sent {
  return { result: 'later', error, afterSeconds };
}

export function refused(error: string, channel: 'stays' | 'is off' | 'is removed' = 'stays'): Sent {
  return { result: 'refused', error, channel };
}
