/**
 * Mends what templates that print JSON by hand get wrong: line ends inside of texts, commas behind
 * the last of a list, and something behind the end. One pass; everything else stays as it is.
 */
export function repairJson(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let depth = 0;
  let commaAt = -1;
  let isInText = false;
  const replace = (at: number, replacement: string): void => {
    pieces.push(text.slice(from, at), replacement);
    from = at + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (isInText) {
      if (character === '\\') i += 1;
      else if (character === '"') isInText = false;
      else if (character < ' ') replace(i, ESCAPES.get(character) ?? ' ');
      continue;
    }
    if (character <= ' ') continue;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') {
      if (commaAt >= from) replace(commaAt, '');
      depth -= 1;
      if (depth === 0) return pieces.join('') + text.slice(from, i + 1);
    }
    commaAt = character === ',' ? i : -1;
    isInText = character === '"';
  }
  return pieces.join('') + text.slice(from);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
