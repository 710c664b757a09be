import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { listRooms, showRoom, type ChatMessage, type Room } from './chat-api.js';

/** The user's conversations, the most recently active first. */
export const useConversations = defineStore('chat-conversations', () => new Conversations());

class Conversations {
  readonly rooms = ref<readonly Room[]>([]);
  readonly state = ref<'loading' | 'shown' | 'failed'>('loading');

  readonly byActivity = computed(() =>
    this.rooms.value.toSorted((a, b) => b.lastActivity - a.lastActivity),
  );
  readonly unreadMessages = computed(() =>
    this.rooms.value.reduce((sum, room) => sum + room.unreadMessages, 0),
  );

  /** Counts conversations added or removed locally. */
  #changes = 0;

  readonly load = async (): Promise<void> => {
    const before = this.#changes;
    try {
      const found = await listRooms();
      if (before !== this.#changes) {
        // The answer may be outdated and would undo the local change.
        await this.load();
        return;
      }
      this.rooms.value = found;
      this.state.value = 'shown';
    } catch (error) {
      // Keep showing the conversations already loaded.
      if (this.state.value !== 'shown') {
        this.state.value = 'failed';
      }
      throw error;
    }
  };

  /** Reloads one conversation, for example after a rename. */
  readonly reload = async (token: string): Promise<void> => this.put(await showRoom(token));

  readonly find = (token: string): Room | undefined =>
    this.rooms.value.find((room) => room.token === token);

  readonly put = (room: Room): void => {
    if (this.find(room.token) === undefined) {
      this.#changes += 1;
    }
    this.rooms.value = [room, ...this.rooms.value.filter(({ token }) => token !== room.token)];
  };

  readonly forget = (token: string): void => {
    this.#changes += 1;
    this.rooms.value = this.rooms.value.filter((room) => room.token !== token);
  };

  /** Records a new message of the open conversation. */
  readonly note = (token: string, message: ChatMessage): void => {
    const room = this.find(token);
    if (room !== undefined) {
      this.put({ ...room, lastMessage: message, lastActivity: message.timestamp });
    }
  };
}
