/** About one line of the list. */
const MOST_CHARACTERS = 72;
const FEWEST_CHARACTERS = 20;

/**
 * The bold part of a row and the rest. An item without a title, such as a short message, begins with its
 * opening words: the first sentence, or as many words as a line holds. So does one whose title is the
 * beginning of the text, cut off.
 *
 * @returns both, and whether they are one text
 */
export function headingOf(title: string, snippet: string): readonly [string, string, boolean] {
  const kept = title.replace(/\s*(?:…|\.{3})$/, '');
  const isBeginning = snippet.startsWith(kept);
  if (title !== '' && (kept === title || !isBeginning)) {
    const after = snippet.slice(title.length);
    // Within a word, the match is a coincidence.
    const isRepeated = isBeginning && !/^[\p{L}\p{N}]/u.test(after);
    return [title, isRepeated ? after.trimStart() : snippet, false];
  }
  if (snippet.length <= MOST_CHARACTERS) {
    return [snippet, '', true];
  }
  const line = snippet.slice(0, MOST_CHARACTERS + 1);
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? '';
  const lastBlank = line.lastIndexOf(' ');
  const end =
    sentence.length >= FEWEST_CHARACTERS
      ? sentence.length
      : lastBlank >= FEWEST_CHARACTERS
        ? lastBlank
        : MOST_CHARACTERS;
  return [snippet.slice(0, end), snippet.slice(end).trimStart(), true];
}
