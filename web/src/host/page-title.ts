import { watchEffect } from 'vue';

/**
 * Keeps the title of the browser tab: `(3) Users – Administration – Gatefold`.
 *
 * @param parts from the page to its area; empty and missing ones are skipped
 * @param unread shown in front unless it is 0
 */
export function usePageTitle(
  parts: () => readonly (string | undefined)[],
  unread: () => number = () => 0,
): void {
  watchEffect(() => {
    const title = [...parts().filter(Boolean), 'Gatefold'].join(' – ');
    document.title = unread() > 0 ? `(${unread()}) ${title}` : title;
  });
}
