import { ref } from 'vue';
import type { Entry } from './dav.js';
import { useEntryCommands } from './entry-commands.js';
import { useFolder } from './folder.store.js';
import { canTake } from './paths.js';

/** The dragged entries; not read from the event, which hides its data until the drop. */
const dragged = ref<readonly Entry[]>([]);
/** Path of the folder below the pointer that can take it. */
const target = ref<string | null>(null);

/** Drags entries onto folders and the path above the list. */
export function useDragging() {
  const folder = useFolder();
  const commands = useEntryCommands();

  /** The whole selection, if the entry belongs to it. */
  function start(event: DragEvent, entry: Entry): void {
    dragged.value = folder.selected.has(entry.fileId) ? [...folder.selection] : [entry];
    if (event.dataTransfer) {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', dragged.value.map(({ name }) => name).join('\n'));
    }
  }

  function end(): void {
    dragged.value = [];
    target.value = null;
  }

  function over(event: DragEvent, path: string): void {
    if (dragged.value.length === 0) {
      return;
    }
    event.stopPropagation();
    if (canTake(path, dragged.value)) {
      event.preventDefault();
      target.value = path;
    }
  }

  function leave(path: string): void {
    if (target.value === path) {
      target.value = null;
    }
  }

  async function drop(event: DragEvent, path: string): Promise<void> {
    if (!canTake(path, dragged.value)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const entries = dragged.value;
    end();
    await commands.relocateAll('MOVE', entries, path);
  }

  return { dragged, target, start, end, over, leave, drop };
}
