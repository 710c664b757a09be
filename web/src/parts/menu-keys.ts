/**
 * Arrow keys, Home and End move the focus between the items of an open menu.
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
  if (next === undefined) {
    return false;
  }
  event.preventDefault();
  items[next]?.focus();
  return true;
}
