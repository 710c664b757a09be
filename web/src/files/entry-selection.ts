import type { Virtualizer } from '@tanstack/vue-virtual';
import { nextTick, ref, watch, type Ref } from 'vue';
import { isMirrored, startOf, stepOf } from '../host/direction.js';
import type { Entry } from './dav.js';
import { useDragging } from './drag-entries.js';
import { useEntryCommands } from './entry-commands.js';
import { idsBetween, placeAfter } from './entry-order.js';
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
export class EntrySelection {
  readonly #folder = useFolder();
  readonly #commands = useEntryCommands();
  readonly #dragging = useDragging();

  /** The entry selected by keyboard. */
  readonly #current = ref(0);
  /** Start of a range selection with Shift. */
  #anchor = 0;
  /** The entry to be focused is not rendered yet. */
  #awaited = false;

  constructor(
    private readonly view: EntryView,
    private readonly showMenu: (entry: Entry, x: number, y: number) => void,
  ) {
    watch(
      () => [this.#folder.path, this.#folder.words, this.#folder.onlyFavorites],
      () => {
        this.#current.value = 0;
        this.#anchor = 0;
        if (view.entries().length > 0) {
          view.rows.value.scrollToIndex(0);
        }
      },
    );
    watch(
      () => view.rows.value.getVirtualItems(),
      () => this.#awaited && this.focus(),
      { flush: 'post' },
    );
  }

  selectAll(on: boolean): void {
    this.#folder.select(on ? this.view.entries().map(({ fileId }) => fileId) : []);
  }

  #selectRange(to: number): void {
    this.#folder.select(idsBetween(this.view.entries(), this.#anchor, to));
  }

  onClick(index: number, entry: Entry, event: MouseEvent): void {
    this.#current.value = index;
    if (event.shiftKey) {
      this.#selectRange(index);
      return;
    }
    this.#anchor = index;
    if (event.ctrlKey || event.metaKey) {
      this.#folder.toggle(entry.fileId);
      return;
    }
    void this.#commands.choose(entry);
  }

  onToggle(index: number, entry: Entry): void {
    this.#current.value = index;
    this.#anchor = index;
    this.#folder.toggle(entry.fileId);
  }

  #onContextMenu(index: number, entry: Entry, event: MouseEvent): void {
    event.preventDefault();
    this.#current.value = index;
    this.showMenu(entry, event.clientX, event.clientY);
  }

  /** Opens the menu below its button. */
  onMenuButton(index: number, entry: Entry, event: MouseEvent): void {
    this.#current.value = index;
    const button = event.currentTarget as Element;
    this.showMenu(entry, startOf(button), button.getBoundingClientRect().bottom);
  }

  readonly goTo = async (index: number, extending = false): Promise<void> => {
    this.#current.value = Math.max(0, Math.min(this.view.entries().length - 1, index));
    if (extending) {
      this.#selectRange(this.#current.value);
    } else {
      this.#anchor = this.#current.value;
    }
    this.view.rows.value.scrollToIndex(Math.floor(this.#current.value / this.view.perRow()));
    this.#awaited = true;
    await nextTick();
    this.focus();
  };

  readonly focus = (): void => {
    const element = this.view.scroller.value?.querySelector<HTMLElement>(
      `[data-index="${this.#current.value}"]`,
    );
    if (element) {
      this.#awaited = false;
      element.focus();
    }
  };

  /** @returns attributes and listeners of the element of an entry */
  attributesOf(index: number, entry: Entry) {
    const isSelected = this.#folder.selected.has(entry.fileId);
    const dragging = this.#dragging;
    return {
      class: { chosen: isSelected, 'drop-target': dragging.target.value === entry.path },
      'data-index': index,
      tabindex: index === this.#current.value ? 0 : -1,
      'aria-selected': isSelected,
      draggable: true,
      onKeydown: this.#onKey,
      onFocus: () => (this.#current.value = index),
      onContextmenu: (event: MouseEvent) => this.#onContextMenu(index, entry, event),
      onDragstart: (event: DragEvent) => dragging.start(event, entry),
      onDragend: () => dragging.end(),
      ...(entry.isFolder && {
        onDragover: (event: DragEvent) => dragging.over(event, entry.path),
        onDragleave: () => dragging.leave(entry.path),
        onDrop: (event: DragEvent) => dragging.drop(event, entry.path),
      }),
    };
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const entries = this.view.entries();
    const entry = entries[this.#current.value];
    const target = placeAfter(event.key, {
      current: this.#current.value,
      count: entries.length,
      perRow: this.view.perRow(),
      step: stepOf(event.key),
    });
    if (target !== undefined) {
      event.preventDefault();
      void this.goTo(target, event.shiftKey);
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.selectAll(true);
    } else if (event.key === 'Escape') {
      this.#folder.select([]);
    } else if (entry !== undefined && event.target === event.currentTarget) {
      this.#onEntryKey(event, entry);
    }
  };

  #onEntryKey(event: KeyboardEvent, entry: Entry): void {
    const isMenuKey = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (isMenuKey) {
      event.preventDefault();
      const row = event.currentTarget as Element;
      const { top, height } = row.getBoundingClientRect();
      this.showMenu(entry, startOf(row) + (isMirrored() ? -height : height), top + height / 2);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      void this.#commands.choose(entry);
    } else if (event.key === ' ') {
      event.preventDefault();
      this.#folder.toggle(entry.fileId);
    } else if (event.key === 'F2') {
      event.preventDefault();
      this.#commands.question = { kind: 'rename', entry };
    } else if (event.key === 's') {
      void this.#commands.favor(entry);
    } else if (event.key === 'Delete') {
      event.preventDefault();
      const isSelected = this.#folder.selected.has(entry.fileId);
      void this.#commands.askToDelete(isSelected ? this.#folder.selection : [entry]);
    }
  }
}
