export interface RepairedJson {
  readonly text: string;
  /** The document ends inside of a list; what was begun there is left out. */
  readonly isCut: boolean;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Lists and objects within one another; no feed needs more than a handful. */
const DEEPEST = 100;

/**
 * Mends what templates that print JSON by hand get wrong: line ends inside of texts, commas behind
 * the last of a list, and something behind the end. A document that was cut off is closed behind
 * its last whole item. One pass, or two for such a one; everything else stays as it is.
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
