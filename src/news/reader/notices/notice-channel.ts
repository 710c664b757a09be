/** The sealed part of a channel. Absent values are empty. */
export interface ChannelAddress {
  /** Of a webhook, or the endpoint of a push subscription. */
  readonly url: string;
  /** Signs or authorises; the form says how. */
  readonly secret: string;
  /** Whom the server of the form tells: a user key, addresses of Apprise, a user name. */
  readonly recipient: string;
  /** Of an application that logs in for a user (OAuth 2). */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Keys of a push subscription (RFC 8291), base64url. */
  readonly p256dh: string;
  readonly auth: string;
  /** The external app. */
  readonly appId: string;
}

/** What happens to a channel by an answer of its server. */
type Fate = 'stays' | 'is off' | 'is removed';

/** What became of an attempt to send. `afterSeconds`: as the server asked; null: by the schedule. */
export type Sent =
  | { readonly result: 'sent' }
  | { readonly result: 'later'; readonly error: string; readonly afterSeconds: number | null }
  | { readonly result: 'refused'; readonly error: string; readonly channel: Fate };

export const SENT: Sent = { result: 'sent' };

export function later(error: string, afterSeconds: number | null = null): Sent {
  return { result: 'later', error, afterSeconds };
}

/** Another attempt would be refused, too. */
export function refused(error: string, channel: Fate = 'stays'): Sent {
  return { result: 'refused', error, channel };
}
