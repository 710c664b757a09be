/** Most specific first: each user agent also contains the names after it. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/Version\/[\d.]+ .*Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** Readable name such as "Firefox, Linux"; unknown user agents are shown as sent. */
export function browserName(userAgent: string): string {
  const [, browser] = BROWSERS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  const [, system] = SYSTEMS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  return [browser ?? userAgent, browser && system].filter(Boolean).join(', ');
}
