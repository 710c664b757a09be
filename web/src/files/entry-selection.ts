import type { Virtualizer } from '@tanstack/vue-virtual';
import { nextTick, ref, watch, type Ref } from 'vue';
import { isMirrored, startOf, stepOf } from '../host/direction.js';
import type { Entry } from './dav.js';
import { useDragging } from './drag-entries.js';
import { useEntryCommands } from './entry-commands.js';
import { useFolder } from './folder.store.js';

/** A list or grid of entries, as far as the keyboard moves in it. */
interface EntryView {
  entries(): readonly Entry[];
  /** Entries per row. */
  perRow(): number;
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  readonly rows: Readonly<
    Ref<Pick<Virtualizer<HTMLElement, Element>, 'getVirtualItems' | 'scrollToIndex'>>
  >;
}

/** Selection and commands by mouse and keyboard in a list or grid of entries. */
export function useEntrySelection(
  view: EntryView,
  showMenu: (entry: Entry, x: number, y: number) => void,
) {
  const folder = useFolder();
  const commands = useEntryCommands();
  const dragging = useDragging();

  /** The entry selected by keyboard. */
  const current = ref(0);
  /** Start of a range selection with Shift. */
  let anchor = 0;
  /** The entry to be focused is not rendered yet. */
  let awaited = false;

  watch(
    () => [folder.path, folder.words, folder.onlyFavorites],
    () => {
      current.value = 0;
      anchor = 0;
      if (view.entries().length > 0) {
        view.rows.value.scrollToIndex(0);
      }
    },
  );

  function selectAll(on: boolean): void {
    folder.select(on ? view.entries().map(({ fileId }) => fileId) : []);
  }

  function selectRange(to: number): void {
    const [first, last] = anchor < to ? [anchor, to] : [to, anchor];
    const range = view.entries().slice(first, last + 1);
    folder.select(range.map(({ fileId }) => fileId));
  }

  function onClick(index: number, entry: Entry, event: MouseEvent): void {
    current.value = index;
    if (event.shiftKey) {
      selectRange(index);
      return;
    }
    anchor = index;
    if (event.ctrlKey || event.metaKey) {
      folder.toggle(entry.fileId);
      return;
    }
    void commands.choose(entry);
  }

  function onToggle(index: number, entry: Entry): void {
    current.value = index;
    anchor = index;
    folder.toggle(entry.fileId);
  }

  function onContextMenu(index: number, entry: Entry, event: MouseEvent): void {
    event.preventDefault();
    current.value = index;
    showMenu(entry, event.clientX, event.clientY);
  }

  /** Opens the menu below its button. */
  function onMenuButton(index: number, entry: Entry, event: MouseEvent): void {
    current.value = index;
    const button = event.currentTarget as Element;
    showMenu(entry, startOf(button), button.getBoundingClientRect().bottom);
  }

  async function goTo(index: number, extending = false): Promise<void> {
    current.value = Math.max(0, Math.min(view.entries().length - 1, index));
    if (extending) {
      selectRange(current.value);
    } else {
      anchor = current.value;
    }
    view.rows.value.scrollToIndex(Math.floor(current.value / view.perRow()));
    awaited = true;
    await nextTick();
    focus();
  }

  function focus(): void {
    const element = view.scroller.value?.querySelector<HTMLElement>(
      `[data-index="${current.value}"]`,
    );
    if (element) {
      awaited = false;
      element.focus();
    }
  }

  watch(
    () => view.rows.value.getVirtualItems(),
    () => awaited && focus(),
    { flush: 'post' },
  );

  /** @returns attributes and listeners of the element of an entry */
  const attributesOf = (index: number, entry: Entry) => ({
    class: {
      chosen: folder.selected.has(entry.fileId),
      'drop-target': dragging.target.value === entry.path,
    },
    'data-index': index,
    tabindex: index === current.value ? 0 : -1,
    'aria-selected': folder.selected.has(entry.fileId),
    draggable: true,
    onKeydown: onKey,
    onFocus: () => (current.value = index),
    onContextmenu: (event: MouseEvent) => onContextMenu(index, entry, event),
    onDragstart: (event: DragEvent) => dragging.start(event, entry),
    onDragend: () => dragging.end(),
    ...(entry.isFolder && {
      onDragover: (event: DragEvent) => dragging.over(event, entry.path),
      onDragleave: () => dragging.leave(entry.path),
      onDrop: (event: DragEvent) => dragging.drop(event, entry.path),
    }),
  });

  function onKey(event: KeyboardEvent): void {
    const entry = view.entries()[current.value];
    const target = targetOf(event.key);
    if (target !== undefined) {
      event.preventDefault();
      void goTo(target, event.shiftKey);
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      selectAll(true);
    } else if (event.key === 'Escape') {
      folder.select([]);
    } else if (entry !== undefined && event.target === event.currentTarget) {
      onEntryKey(event, entry);
    }
  }

  function targetOf(key: string): number | undefined {
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: current.value + view.perRow(),
      ArrowUp: current.value - view.perRow(),
      PageDown: current.value + 10 * view.perRow(),
      PageUp: current.value - 10 * view.perRow(),
      Home: 0,
      End: view.entries().length - 1,
    };
    const step = view.perRow() > 1 ? stepOf(key) : 0;
    return step === 0 ? moves[key] : current.value + step;
  }

  function onEntryKey(event: KeyboardEvent, entry: Entry): void {
    const isMenuKey = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (isMenuKey) {
      event.preventDefault();
      const row = event.currentTarget as Element;
      const { top, height } = row.getBoundingClientRect();
      showMenu(entry, startOf(row) + (isMirrored() ? -height : height), top + height / 2);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      void commands.choose(entry);
    } else if (event.key === ' ') {
      event.preventDefault();
      folder.toggle(entry.fileId);
    } else if (event.key === 'F2') {
      event.preventDefault();
      commands.question = { kind: 'rename', entry };
    } else if (event.key === 's') {
      void commands.favor(entry);
    } else if (event.key === 'Delete') {
      event.preventDefault();
      const isSelected = folder.selected.has(entry.fileId);
      void commands.askToDelete(isSelected ? folder.selection : [entry]);
    }
  }

  return { attributesOf, selectAll, onClick, onToggle, onMenuButton, focus, goTo };
}
