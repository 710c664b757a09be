import { stepOf } from '../../host/direction.js';
import { pageLocale } from '../../host/regional-locale.js';

/** Letters typed within this time search for one name. */
const TYPING_MILLISECONDS = 700;

/**
 * The keys of a tree, on links: arrows, Home, End, and letters to find a name. Each line is a link
 * with `data-line`; one inside of a folder names that folder's line in `data-inside`, and a folder's
 * line has `aria-expanded`.
 *
 * @param fold opens or closes the folder of a line
 */
export function useTreeKeys(fold: (line: HTMLElement) => void) {
  /**
   * Letters are shortcuts after a click, and find names after the keyboard moved here: who has
   * chosen a feed with the mouse wants to read on with `j`.
   */
  let isWalking = false;
  let typed = '';
  let typedAt = 0;

  function onKey(event: KeyboardEvent): void {
    const tree = event.currentTarget as HTMLElement;
    const line = (event.target as HTMLElement).closest<HTMLElement>('[data-line]');
    if (line === null || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const lines = [...tree.querySelectorAll<HTMLElement>('[data-line]')];
    const isLetter = isWalking && event.key.length === 1;
    const found = targetOf(event.key, line, lines) ?? (isLetter ? named(event, line, lines) : null);
    if (found === null) {
      isWalking &&= event.key !== 'Enter';
      return;
    }
    isWalking = true;
    typed = event.key.length === 1 ? typed : '';
    event.preventDefault();
    if (found === 'fold') {
      fold(line);
    } else {
      found.focus();
    }
  }

  /** The next line that begins with the typed text; the same letter again moves on. */
  function named(
    event: KeyboardEvent,
    line: HTMLElement,
    lines: readonly HTMLElement[],
  ): HTMLElement | null {
    const letter = event.key.toLocaleLowerCase(pageLocale());
    const goesOn = event.timeStamp - typedAt < TYPING_MILLISECONDS && typed !== letter;
    typed = goesOn ? typed + letter : letter;
    typedAt = event.timeStamp;
    return lineNamed(typed, lines, lines.indexOf(line) + (goesOn ? 0 : 1));
  }

  return {
    onKey,
    onPointerDown: () => (isWalking = false),
    /** A focus from outside without the pointer is from Tab. */
    onFocusIn(event: FocusEvent) {
      isWalking ||= (event.target as HTMLElement).matches(':focus-visible');
    },
  };
}

/** @returns null for other keys */
function targetOf(
  key: string,
  line: HTMLElement,
  lines: readonly HTMLElement[],
): HTMLElement | 'fold' | null {
  const at = lines.indexOf(line);
  const open = line.getAttribute('aria-expanded');
  switch (stepOf(key) || key) {
    case 'ArrowDown':
      return lines[at + 1] ?? line;
    case 'ArrowUp':
      return lines[at - 1] ?? line;
    case 'Home':
      return lines[0] ?? line;
    case 'End':
      return lines.at(-1) ?? line;
    case 1:
      return open === 'false' ? 'fold' : open === 'true' ? firstInside(line, lines) : line;
    case -1:
      return open === 'true' ? 'fold' : folderOf(line, lines);
    default:
      return null;
  }
}

function lineNamed(
  beginning: string,
  lines: readonly HTMLElement[],
  from: number,
): HTMLElement | null {
  const isNamed = ({ textContent }: HTMLElement) =>
    textContent.trim().toLocaleLowerCase(pageLocale()).startsWith(beginning);
  return [...lines.slice(from), ...lines.slice(0, from)].find(isNamed) ?? null;
}

function folderOf(line: HTMLElement, lines: readonly HTMLElement[]): HTMLElement {
  return lines.find(({ dataset }) => dataset['line'] === line.dataset['inside']) ?? line;
}

function firstInside(line: HTMLElement, lines: readonly HTMLElement[]): HTMLElement {
  return lines.find(({ dataset }) => dataset['inside'] === line.dataset['line']) ?? line;
}
