/**
 * The browser's regional variant of the page's language (`en-GB` for `en`), so that dates and
 * numbers are formatted as the visitor expects.
 */
export function regionalLocale(language: string): string {
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}
