import { ref, shallowRef } from 'vue';
import { change } from '../model/news-request.js';

/** The full text of the open article, fetched from its web page when the reader asks. */
export function useFullText() {
  /** Null: the text of the feed is shown. */
  const body = shallowRef<string | null>(null);
  const isLoading = ref(false);
  let openId: number | null = null;

  /** Called when another article is open, or none. */
  function begin(itemId: number | null): void {
    openId = itemId;
    body.value = null;
    isLoading.value = false;
  }

  /**
   * Shows the full text, or the feed's text again.
   *
   * @throws RequestFailed with the reason, unless another article is open by then
   */
  async function toggle(itemId: number): Promise<void> {
    if (body.value !== null || isLoading.value) {
      body.value = null;
      return;
    }
    isLoading.value = true;
    try {
      const answer = await change<{ body: string }>('POST', `/items/${itemId}/full-text`);
      if (itemId === openId) {
        body.value = answer.body;
      }
    } catch (error) {
      if (itemId === openId) {
        throw error;
      }
    } finally {
      if (itemId === openId) {
        isLoading.value = false;
      }
    }
  }

  return { body, isLoading, begin, toggle };
}
