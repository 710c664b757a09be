import { ref, watch, type Ref } from 'vue';
import { requestJson } from '../../host/http.js';
import { NEWS_ROOT } from '../model/news-request.js';

/** A file that comes with an article. Addresses are the publisher's. */
export interface Medium {
  readonly url: string;
  readonly mime: string | null;
  readonly kind: 'audio' | 'video' | 'image' | 'other';
  readonly title: string | null;
  /** Bytes. */
  readonly length: number | null;
  readonly thumbnail: string | null;
}

export interface ArticleExtras {
  /** Empty if the item itself names the only file. */
  readonly media: readonly Medium[];
  readonly comments: string | null;
  readonly chapters: string | null;
  /** Duration of the recording. */
  readonly durationSeconds: number | null;
  readonly tags: readonly string[];
}

const NO_EXTRAS: ArticleExtras = {
  media: [],
  comments: null,
  chapters: null,
  durationSeconds: null,
  tags: [],
};

/** Extras of the shown article. Failures are ignored: it is complete without them for most readers. */
export function useExtras(itemId: () => number): Readonly<Ref<ArticleExtras>> {
  const extras = ref(NO_EXTRAS);
  watch(
    itemId,
    async (id) => {
      extras.value = NO_EXTRAS;
      const found = await fetchExtras(id).catch(() => NO_EXTRAS);
      if (id === itemId()) {
        extras.value = found;
      }
    },
    { immediate: true },
  );
  return extras;
}

/** See docs/news-api.md. */
async function fetchExtras(itemId: number): Promise<ArticleExtras> {
  const { extras } = await requestJson<{ extras: ArticleExtras }>(
    `${NEWS_ROOT}/items/${itemId}/extras`,
  );
  return extras;
}
