/** Whether a text has more code points; those of a much longer one are not counted. */
export function hasMoreCharacters(text: string, most: number): boolean {
  return text.length > 2 * most || [...text].length > most;
}
