import { defineStore } from 'pinia';
import { ref } from 'vue';
import { page } from '../../host/page-context.js';
import type { ChatMessage } from '../chat-api.js';

/** The purpose of the draft: a new message, a reply or an edit. */
export type Intent =
  | { readonly kind: 'reply'; readonly to: ChatMessage }
  | { readonly kind: 'edit'; readonly message: ChatMessage };

/** Drafts by conversation. Their texts survive a reload of the page, or the end of the session. */
export const useDrafts = defineStore('chat-drafts', () => {
  const intents = ref<Readonly<Record<string, Intent | undefined>>>({});

  /** What was typed on this page; the storage of the browser is emptied when the session ends. */
  const typed = new Map<string, string>();
  const keyOf = (token: string) => `gatefold-draft:${page.userId}:${token}`;

  function text(token: string): string {
    return typed.get(token) ?? sessionStorage.getItem(keyOf(token)) ?? '';
  }

  function keep(token: string, words: string): void {
    typed.set(token, words);
    if (words.trim() === '') {
      sessionStorage.removeItem(keyOf(token));
    } else {
      sessionStorage.setItem(keyOf(token), words);
    }
  }

  function intend(token: string, intent: Intent | undefined): void {
    intents.value = { ...intents.value, [token]: intent };
  }

  return { intents, text, keep, intend };
});
