/** Whether this browser can show notices while no page is open, and what it needs for that. */
export type PushOffer = 'insecure' | 'home-screen' | 'none' | 'denied' | 'ask' | 'allowed';

/** What a browser says about itself. */
export interface PushAbilities {
  readonly isSecure: boolean;
  readonly hasPush: boolean;
  /** iPhone and iPad: false in Safari, true in the app on the home screen; undefined elsewhere. */
  readonly isOnHomeScreen: boolean | undefined;
  readonly permission: NotificationPermission;
}

export function pushOffer(able: PushAbilities): PushOffer {
  if (!able.isSecure) {
    return 'insecure';
  }
  if (!able.hasPush) {
    return able.isOnHomeScreen === false ? 'home-screen' : 'none';
  }
  return able.permission === 'granted'
    ? 'allowed'
    : able.permission === 'denied'
      ? 'denied'
      : 'ask';
}

/** The channel of this browser, as the page noted it when it was made. */
export interface PushNote {
  readonly channelId: number;
  readonly endpoint: string;
}

/** The browser's subscription at its push service. */
export interface KnownSubscription {
  readonly endpoint: string;
  /** base64url; of the service for which it was made, for life. */
  readonly key: string;
}

/**
 * `drop`: it is another user's, or the user removed the channel elsewhere; `renew`: subscribe at the push
 * service unless that is done, and tell the service.
 */
export type PushStep = 'nothing' | 'drop' | 'renew';

/**
 * What a page does at its start, so that notices go on arriving, at the right user only.
 *
 * @param note null: the user has not turned on notices in this browser
 * @param subscription null: the browser has none, or has lost it
 * @param service its key now, and whether it still knows the channel of the note
 */
export function pushStep(
  note: PushNote | null,
  subscription: KnownSubscription | null,
  service: { readonly key: string | null; readonly knowsChannel: boolean },
): PushStep {
  if (note === null) {
    return subscription === null ? 'nothing' : 'drop';
  }
  if (service.key === null) {
    return 'nothing';
  }
  if (subscription?.key !== service.key || subscription.endpoint !== note.endpoint) {
    return 'renew';
  }
  return service.knowsChannel ? 'nothing' : 'drop';
}

/** base64url without padding, the form of keys in the API. */
export function keyText(key: ArrayBuffer | null | undefined): string {
  return btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
