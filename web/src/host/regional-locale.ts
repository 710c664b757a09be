/**
 * The browser's regional variant of the page's language (`en-GB` for `en`), so that dates and
 * numbers are formatted as the visitor expects.
 */
export function regionalLocale(language: string): string {
  const regional = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  // The texts have Latin digits.
  return language === 'ar' ? `${regional}-u-nu-latn` : regional;
}
