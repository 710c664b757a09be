import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { ownChannelId } from '../../host/push.js';
import { listChannels, type ChannelList } from '../model/notices-api.js';

/** The user's channels, and what the service can send by. */
export const useChannels = defineStore('channels', () => {
  const list = shallowRef<ChannelList>({
    channels: [],
    applicationServerKey: null,
    pushProblem: null,
    apps: [],
    templates: [],
  });
  const isLoaded = ref(false);

  async function load(): Promise<void> {
    list.value = { ...list.value, ...(await listChannels()) };
    isLoaded.value = true;
  }

  return {
    list,
    isLoaded,
    load,
    /** The channel of this browser. */
    own: computed(() => list.value.channels.find(({ id }) => id === ownChannelId.value)),
  };
});
