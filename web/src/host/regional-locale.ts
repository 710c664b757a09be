/**
 * The browser's regional variant of a language (`en-GB` for `en`), so that dates and numbers are formatted
 * as the visitor expects. Always a tag that `Intl` takes: browsers name languages after the system's locale,
 * which may be `C` or `en_US.POSIX`.
 *
 * @param tags in the visitor's order
 */
export function regionalLocale(language: string, tags = navigator.languages): string {
  const ofLanguage = (tag: string) => tag.split(/[-_]/, 1)[0]?.toLowerCase() === language;
  const regional = tags.find((tag) => ofLanguage(tag) && isLocale(tag)) ?? language;
  // The texts have Latin digits.
  return language === 'ar' ? `${regional.split('-u-', 1)[0]}-u-nu-latn` : regional;
}

/**
 * The locale of the page, for names that are sorted or compared: never the browser's own, which `Intl`
 * refuses on some systems.
 */
export function pageLocale(): string {
  const { lang } = document.documentElement;
  return regionalLocale(isLocale(lang) ? lang : 'en');
}

function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf([tag]).length > 0;
  } catch {
    return false;
  }
}
