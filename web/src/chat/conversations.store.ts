import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { listRooms, showRoom, type ChatMessage, type Room } from './chat-api.js';

/** The user's conversations, the most recently active first. */
export const useConversations = defineStore('chat-conversations', () => {
  const rooms = ref<readonly Room[]>([]);
  const state = ref<'loading' | 'shown' | 'failed'>('loading');

  const byActivity = computed(() =>
    rooms.value.toSorted((a, b) => b.lastActivity - a.lastActivity),
  );
  const unreadMessages = computed(() =>
    rooms.value.reduce((sum, room) => sum + room.unreadMessages, 0),
  );

  /** Counts conversations added or removed locally. */
  let changes = 0;

  async function load(): Promise<void> {
    const before = changes;
    try {
      const found = await listRooms();
      if (before !== changes) {
        // The answer may be outdated and would undo the local change.
        await load();
        return;
      }
      rooms.value = found;
      state.value = 'shown';
    } catch (error) {
      // Keep showing the conversations already loaded.
      if (state.value !== 'shown') {
        state.value = 'failed';
      }
      throw error;
    }
  }

  /** Reloads one conversation, for example after a rename. */
  async function reload(token: string): Promise<void> {
    put(await showRoom(token));
  }

  function find(token: string): Room | undefined {
    return rooms.value.find((room) => room.token === token);
  }

  function put(room: Room): void {
    if (find(room.token) === undefined) {
      changes += 1;
    }
    rooms.value = [room, ...rooms.value.filter(({ token }) => token !== room.token)];
  }

  function forget(token: string): void {
    changes += 1;
    rooms.value = rooms.value.filter((room) => room.token !== token);
  }

  /** Records a new message of the open conversation. */
  function note(token: string, message: ChatMessage): void {
    const room = find(token);
    if (room !== undefined) {
      put({ ...room, lastMessage: message, lastActivity: message.timestamp });
    }
  }

  return {
    rooms,
    state,
    byActivity,
    unreadMessages,
    load,
    reload,
    find,
    put,
    forget,
    note,
  };
});
