/**
 * The browser's own habits of writing dates, when it speaks the language of the page: a page in
 * English shows the British their order of day and month.
 */
export function habitsOf(language: string): string {
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}
