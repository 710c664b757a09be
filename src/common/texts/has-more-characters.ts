/** Whether a text has more code points; stops counting beyond the limit. */
export function hasMoreCharacters(text: string, most: number): boolean {
  return text.length > 2 * most || [...text].length > most;
}
