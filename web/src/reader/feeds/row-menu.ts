import { defineAsyncComponent, ref, watch, type Ref } from 'vue';
import { useFeeds } from '../state/feeds.store.js';

/** Not needed for what is seen first. */
export const FeedMenu = defineAsyncComponent(() => import('./FeedMenu.vue'));
export const FolderMenu = defineAsyncComponent(() => import('./FolderMenu.vue'));

/** As many menus as lines are no burden. */
const FEW_LINES = 100;

/**
 * The menu of a line of the tree. Among many lines it exists once the pointer or the focus has been there;
 * without a pointer that hovers, always.
 */
export function useRowMenu(menu: Readonly<Ref<{ show(): unknown } | null>>) {
  const isWanted = ref(useFeeds().feeds.length <= FEW_LINES || matchMedia('(hover: none)').matches);

  const want = () => {
    isWanted.value = true;
  };
  /** As soon as it is there. */
  function show(event: Event): void {
    event.preventDefault();
    want();
    watch(menu, (now) => now?.show(), {
      immediate: menu.value !== null,
      once: true,
      flush: 'post',
    });
  }

  return { isWanted, on: { pointerenter: want, focusin: want, contextmenu: show } };
}
