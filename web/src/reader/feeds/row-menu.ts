import { nextTick, ref, type Ref } from 'vue';
import { useFeeds } from '../state/feeds.store.js';

/** As many menus as lines are no burden. */
const FEW_LINES = 100;

/**
 * The menu of a line of the tree. Among many lines it exists once the pointer or the focus has been there;
 * without a pointer that hovers, always.
 */
export function useRowMenu(menu: Readonly<Ref<{ show(): Promise<void> } | null>>) {
  const isWanted = ref(useFeeds().feeds.length <= FEW_LINES || matchMedia('(hover: none)').matches);

  const want = () => {
    isWanted.value = true;
  };
  async function show(event: Event): Promise<void> {
    event.preventDefault();
    want();
    await nextTick();
    await menu.value?.show();
  }

  return { isWanted, on: { pointerenter: want, focusin: want, contextmenu: show } };
}
