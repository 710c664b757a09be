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
 * Asks for permission, which browsers allow only after a click, and makes the channel of this browser. Nothing
 * happens without the permission.
 *
 * @param key of the service
 * @throws DOMException if the browser's push service refuses or cannot be reached
 */
export async function turnOnPush(key: string): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') {
    await subscribe(key, null);
  }
}

/** Ends it here and at the service. */
export async function turnOffPush(): Promise<void> {
  await requestJson(`${CHANNELS}/${ownChannelId.value}`, { method: 'DELETE' });
  await forgetPush();
}

/** Ends it here: the channel is gone. */
export async function forgetPush(): Promise<void> {
  setNote(null);
  await (await ownSubscription())?.unsubscribe();
}

/** Called at the start of a page in a browser that may show notices. */
export async function checkPush(): Promise<void> {
  const note = pushNote();
  const subscription = await ownSubscription();
  if (note === null && subscription === null) {
    return;
  }
  const { applicationServerKey: key, channels } = await requestJson<KnownChannels>(CHANNELS);
  const known = channels.find(({ id }) => id === note?.channelId)?.id ?? null;
  const step = pushStep(note, subscription && stateOf(subscription), {
    key,
    knowsChannel: known !== null,
  });
  if (step === 'drop') {
    await forgetPush();
  } else if (step === 'renew' && key !== null) {
    await subscribe(key, known);
  }
}

/** @param channelId null: a new channel */
async function subscribe(key: string, channelId: number | null): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const present = await pushManager.getSubscription();
  // It keeps its key for life.
  if (present !== null && stateOf(present).key !== key) {
    await present.unsubscribe();
  }
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(options);
  const channel = { subscription: subscription.toJSON() };
  const name = browserName(navigator.userAgent).slice(0, 100);
  const { channels } = await requestJson<{ channels: [{ id: number }] }>(
    channelId === null ? CHANNELS : `${CHANNELS}/${channelId}`,
    channelId === null
      ? { method: 'POST', json: { ...channel, kind: 'push', name } }
      : { method: 'PUT', json: channel },
  );
  setNote({ channelId: channels[0].id, endpoint: subscription.endpoint });
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

function stateOf({ endpoint, options }: PushSubscription): KnownSubscription {
  return { endpoint, key: keyText(options.applicationServerKey) };
}
