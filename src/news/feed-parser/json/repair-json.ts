interface RepairedJson {
  readonly text: string;
  /** The document ends inside a list; the last, incomplete item is omitted. */
  readonly isCut: boolean;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Nesting limit. */
const DEEPEST = 100;

/**
 * Repairs typical mistakes of hand-written JSON templates: line ends inside strings, trailing commas,
 * and text after the end. A cut document is closed after its last complete item. One pass, two for
 * a cut document.
 */
export function repairJson(text: string): RepairedJson {
  const pieces: string[] = [];
  let from = 0;
  let brackets = '';
  let commaAt = -1;
  let endOfItem = -1;
  let isInText = false;
  const replace = (at: number, replacement: string): void => {
    pieces.push(text.slice(from, at), replacement);
    from = at + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (isInText) {
      if (character === '\\') {
        i += 1;
      } else if (character === '"') {
        isInText = false;
      } else if (character < ' ') {
        replace(i, ESCAPES.get(character) ?? ' ');
      }
      continue;
    }
    if (character <= ' ') {
      continue;
    }
    if (character === '{' || character === '[') {
      if (brackets.length >= DEEPEST) {
        return { text, isCut: false };
      }
      brackets += character;
    }
    if (character === '}' || character === ']') {
      if (commaAt >= from) {
        replace(commaAt, '');
      }
      brackets = brackets.slice(0, -1);
      if (brackets === '') {
        return { text: pieces.join('') + text.slice(from, i + 1), isCut: false };
      }
      if (brackets === '{[') {
        endOfItem = i + 1;
      }
    }
    commaAt = character === ',' ? i : -1;
    isInText = character === '"';
  }
  if (endOfItem === -1) {
    return { text, isCut: false };
  }
  return { text: repairJson(`${text.slice(0, endOfItem)}]}`).text, isCut: true };
}
