import { defineStore } from 'pinia';
import { computed, ref, shallowRef, type Ref } from 'vue';
import { forgetPush, ownChannelId, turnOffPush, turnOnPush } from '../../host/push.js';
import {
  addChannel,
  changeChannel,
  listChannels,
  removeChannel,
  tryChannel,
  type Channel,
  type ChannelDraft,
  type ChannelList,
  type Trial,
} from '../model/notices-api.js';

const NONE: ChannelList = {
  channels: [],
  applicationServerKey: null,
  pushProblem: null,
  mailProblem: null,
  apps: [],
};

/** The user's channels, and what the service can send by. */
export const useChannels = defineStore('channels', () => {
  const list = shallowRef<ChannelList>(NONE);
  const isLoaded = ref(false);
  const { trials, attempt, forget } = useTrials(load);

  async function load(): Promise<void> {
    list.value = { ...NONE, ...(await listChannels()) };
    isLoaded.value = true;
  }

  /** @returns the key for checking signatures, if the service has made one */
  async function add(draft: ChannelDraft): Promise<string | null> {
    const { secret } = await addChannel(draft);
    await load();
    return secret ?? null;
  }

  async function change(id: number, draft: ChannelDraft): Promise<void> {
    const [changed] = (await changeChannel(id, draft)).channels;
    forget(id);
    show((channels) => channels.map((channel) => (channel.id === id ? changed : channel)));
  }

  async function remove(id: number): Promise<void> {
    await removeChannel(id);
    if (id === ownChannelId.value) {
      await forgetPush();
    }
    show((channels) => channels.filter((channel) => channel.id !== id));
  }

  function show(now: (channels: readonly Channel[]) => readonly Channel[]): void {
    list.value = { ...list.value, channels: now(list.value.channels) };
  }

  return {
    list,
    isLoaded,
    trials,
    channels: computed(() => list.value.channels),
    /** The channel of this browser. */
    own: computed(() => list.value.channels.find(({ id }) => id === ownChannelId.value) ?? null),
    load,
    add,
    change,
    remove,
    attempt,
    ...switchesOf(list, load),
  };
});

/** Notices in this browser. */
function switchesOf(list: Readonly<Ref<ChannelList>>, reload: () => Promise<void>) {
  return {
    /** @returns false if the user does not allow them */
    async turnOn(): Promise<boolean> {
      const isAllowed = await turnOnPush(list.value.applicationServerKey ?? '');
      await reload();
      return isAllowed;
    },
    async turnOff(): Promise<void> {
      await turnOffPush();
      await reload();
    },
  };
}

/** The latest trial of each channel, by its id. */
function useTrials(reload: () => Promise<void>) {
  const trials = ref<Readonly<Record<number, Trial>>>({});

  function forget(id: number): void {
    const { [id]: _former, ...others } = trials.value;
    trials.value = others;
  }

  async function attempt(id: number): Promise<void> {
    forget(id);
    const trial = await tryChannel(id);
    trials.value = { ...trials.value, [id]: trial };
    // It may work again, or fail now.
    await reload();
  }

  return { trials, attempt, forget };
}
