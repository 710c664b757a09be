/** About a line of the list. */
const MOST_CHARACTERS = 72;
const FEWEST_CHARACTERS = 20;

/**
 * What a row shows in bold and what follows. An item without a title, such as a short message,
 * begins with its opening words: the first sentence, or as many words as a line holds.
 */
export function headingOf(title: string, snippet: string): readonly [string, string] {
  if (title !== '') {
    return [title, snippet];
  }
  if (snippet.length <= MOST_CHARACTERS) {
    return [snippet, ''];
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
  return [snippet.slice(0, end), snippet.slice(end).trimStart()];
}
