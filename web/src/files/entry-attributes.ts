import type { Entry } from './dav.js';
import { useDragging } from './drag-entries.js';
import type { useEntrySelection } from './entry-selection.js';
import { useFolder } from './folder.store.js';

/** @returns attributes and listeners of the element of an entry, for list and grid alike */
export function useEntryAttributes(selection: ReturnType<typeof useEntrySelection>) {
  const folder = useFolder();
  const dragging = useDragging();

  return (index: number, entry: Entry) => ({
    class: {
      chosen: folder.selected.has(entry.fileId),
      'drop-target': dragging.target.value === entry.path,
    },
    'data-index': index,
    tabindex: index === selection.current.value ? 0 : -1,
    'aria-selected': folder.selected.has(entry.fileId),
    draggable: true,
    onKeydown: selection.onKey,
    onFocus: () => (selection.current.value = index),
    onContextmenu: (event: MouseEvent) => selection.onContextMenu(index, entry, event),
    onDragstart: (event: DragEvent) => dragging.start(event, entry),
    onDragend: () => dragging.end(),
    ...(entry.isFolder && {
      onDragover: (event: DragEvent) => dragging.over(event, entry.path),
      onDragleave: () => dragging.leave(entry.path),
      onDrop: (event: DragEvent) => dragging.drop(event, entry.path),
    }),
  });
}
