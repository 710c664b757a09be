import { expect, it } from 'vitest';
import { browserName } from './browser-names.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
  [
    `Mozilla/5.0 (Linux; Android 15) ${WEBKIT} Chrome/140.0 Mobile Safari/537.36`,
    'Chrome, Android',
  ],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge, Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 15) ${WEBKIT} Chrome/140 OPR/120`, 'Opera, macOS'],
  [
    `Mozilla/5.0 (Linux; Android 15) ${WEBKIT} SamsungBrowser/28.0 Chrome/130`,
    'Samsung Internet, Android',
  ],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) FxiOS/140 Safari/605`, 'Firefox, iOS'],
  [`Mozilla/5.0 (iPad; CPU OS 18 like Mac OS X) Version/18.1 Mobile Safari/604`, 'Safari, iOS'],
  [`Mozilla/5.0 (X11; CrOS x86_64) ${WEBKIT} Chrome/140.0 Safari/537.36`, 'Chrome, ChromeOS'],
  ['Firefox/1', 'Firefox'],
  ['newsboat/2.40 (Linux x86_64)', 'newsboat/2.40 (Linux x86_64)'],
  ['', ''],
])('%s is shown as “%s”.', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
