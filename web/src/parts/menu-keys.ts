import { pageLocale } from '../host/regional-locale.js';

/**
 * Arrow keys, Home, End and first letters move the focus between the items of an open menu.
 *
 * @returns whether the key was one of these
 */
export function moveInMenu(event: KeyboardEvent, menu: HTMLElement | null): boolean {
  const items = [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (Math.max(at, 0) - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  const found = next === undefined ? nextNamed(event, items, at) : items[next];
  if (found === undefined) {
    return false;
  }
  event.preventDefault();
  found.focus();
  return true;
}

/** The next item that begins with the letter that was typed. */
function nextNamed({ key, ctrlKey, metaKey }: KeyboardEvent, items: HTMLElement[], at: number) {
  return /^\S$/u.test(key) && !ctrlKey && !metaKey
    ? [...items.slice(at + 1), ...items.slice(0, at + 1)].find(({ textContent }) =>
        textContent
          .trim()
          .toLocaleLowerCase(pageLocale())
          .startsWith(key.toLocaleLowerCase(pageLocale())),
      )
    : undefined;
}
