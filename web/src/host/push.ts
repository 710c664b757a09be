import { ref } from 'vue';
import { browserName } from './browser-names.js';
import { requestJson } from './http.js';
import { CHANNELS, keepPushNote, pushNote } from './push-note.js';
import {
  keyText,
  pushOffer,
  pushStep,
  type KnownSubscription,
  type PushNote,
  type PushOffer,
} from './push-rules.js';

/*
 * Notices in this browser while no page is open (Web Push). What was turned on is noted in the browser, so
 * that a page at its start sees whether it still works. A subscription lives in the browser, not in the
 * session: it ends with the session, and is made anew when the same user is back.
 */

/** Of the `GET channels` of the service. */
interface KnownChannels {
  readonly channels: readonly { readonly id: number }[];
  readonly applicationServerKey: string | null;
}

/** The id of this browser's channel; null: notices are off here. */
export const ownChannelId = ref(pushNote()?.channelId ?? null);

function setNote(now: PushNote | null): void {
  keepPushNote(now);
  ownChannelId.value = now?.channelId ?? null;
}

export function offeredPush(): PushOffer {
  return pushOffer({
    isSecure: isSecureContext,
    hasPush: 'serviceWorker' in navigator && 'PushManager' in globalThis,
    isOnHomeScreen: (navigator as { standalone?: boolean }).standalone,
    permission: 'Notification' in globalThis ? Notification.permission : 'denied',
  });
}

/**
 * Asks for permission, which browsers allow only after a click, and makes the channel of this browser.
 *
 * @param key of the service
 * @returns false if the user does not allow it
 * @throws DOMException if the browser's push service refuses or cannot be reached
 */
export async function turnOnPush(key: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') {
    return false;
  }
  await sendSubscription(await subscribed(key), ownChannelId.value);
  return true;
}

/** Ends it here and at the service. */
export async function turnOffPush(): Promise<void> {
  const channelId = ownChannelId.value;
  setNote(null);
  await unsubscribe();
  if (channelId !== null) {
    await requestJson(`${CHANNELS}/${channelId}`, { method: 'DELETE' });
  }
}

/** The channel was removed on this page, or elsewhere. */
export async function forgetPush(): Promise<void> {
  setNote(null);
  await unsubscribe();
}

/** Called at the start of a page in a browser that may show notices. */
export async function checkPush(): Promise<void> {
  const subscription = await ownSubscription();
  const noted = pushNote();
  if (noted === null && subscription === null) {
    return;
  }
  const known = await requestJson<KnownChannels>(CHANNELS);
  const { applicationServerKey: key, channels } = known;
  const knowsChannel = channels.some(({ id }) => id === noted?.channelId);
  const step = pushStep(noted, subscription && knownOf(subscription), { key, knowsChannel });
  if (step === 'drop') {
    await forgetPush();
  } else if (step === 'send' && subscription !== null) {
    await sendSubscription(subscription, knowsChannel ? ownChannelId.value : null);
  } else if (step === 'subscribe' && key !== null) {
    await sendSubscription(await subscribed(key), knowsChannel ? ownChannelId.value : null);
  }
}

/** @param channelId null: a new channel */
async function sendSubscription(
  subscription: PushSubscription,
  channelId: number | null,
): Promise<void> {
  const name = browserName(navigator.userAgent).slice(0, 100);
  const { channels } = await requestJson<{ channels: [{ id: number }] }>(
    channelId === null ? CHANNELS : `${CHANNELS}/${channelId}`,
    {
      method: channelId === null ? 'POST' : 'PUT',
      json: {
        ...(channelId === null ? { kind: 'push', name } : {}),
        subscription: subscription.toJSON(),
      },
    },
  );
  setNote({ channelId: channels[0].id, endpoint: subscription.endpoint });
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** A subscription keeps its key for life, so that one for another key is given up. */
async function subscribed(key: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const present = await pushManager.getSubscription();
  if (present !== null && knownOf(present).key !== key) {
    await present.unsubscribe();
  }
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

async function unsubscribe(): Promise<void> {
  const subscription = await ownSubscription();
  await subscription?.unsubscribe();
}

function knownOf({ endpoint, options }: PushSubscription): KnownSubscription {
  return { endpoint, key: keyText(options.applicationServerKey) };
}
