import { ref, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { addressIn } from '../model/address-in.js';

/**
 * Parameters of the reader's page with an address: from bookmarklets, handlers of `feed:` links, and apps
 * that share.
 */
const PARAMETERS = ['subscribe_to', 'share_text', 'share_title'];

/**
 * The address that the visitor came with, for the dialog to add a feed; empty without one. It is taken
 * out of the page's own address, so that reloading does not offer it again.
 */
export function useOfferedAddress() {
  const route = useRoute();
  const router = useRouter();
  const offered = ref('');

  watch(
    () => route.query,
    (query) => {
      const texts = PARAMETERS.flatMap((name) => query[name] ?? []);
      if (texts.length === 0) {
        return;
      }
      const addresses = texts.flatMap((text) => addressIn(text ?? '') ?? []);
      // A bare host, as in a hand-written bookmark.
      offered.value = addresses[0] ?? texts[0]?.trim() ?? '';
      const rest = Object.entries(query).filter(([name]) => !PARAMETERS.includes(name));
      void router.replace({ path: route.path, query: Object.fromEntries(rest) });
    },
    { immediate: true },
  );

  return offered;
}
