import { shallowRef } from 'vue';

export interface Recording {
  readonly itemId: number;
  readonly title: string;
  readonly url: string;
}

/** What is being listened to, whichever article is open. */
export const playing = shallowRef<Recording | null>(null);
