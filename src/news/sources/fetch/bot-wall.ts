import type { IncomingHttpHeaders } from 'node:http';

/** By which Cloudflare, Vercel and AWS call their answer a test. */
const HEADERS = ['cf-mitigated', 'x-vercel-mitigated', 'x-amzn-waf-action'];

/**
 * What only test pages hold, of Cloudflare, Anubis, DDoS-Guard, Sucuri, Imperva, AWS, DataDome and Akamai.
 * Some of these services put other scripts into ordinary pages.
 */
const TEST_PAGES = [
  /<title>\s*(?:just a moment\.\.\.|ddos-guard|making sure you.{1,6}re not a bot)/i,
  /_cf_chl_opt|cf-browser-verification|id="anubis_challenge"|within\.website\/x\/cmd\/anubis/i,
  /check\.ddos-guard\.net|sucuri_cloudproxy_js|sucuri website firewall - access denied/i,
  /_incapsula_resource\?[cs]wudnsai|incapsula incident id|window\.gokuprops|awswafcookiedomainlist/i,
  /\.captcha-delivery\.com|sec-if-cpt-container|\/_sec\/cp_challenge\/|errors\.edgesuite\.net/i,
];

/** The message for an answer that is a test for browsers; null for any other. */
export function describeBotWall(
  url: string,
  headers: IncomingHttpHeaders,
  document: Uint8Array,
): string | null {
  const page = Buffer.from(document.subarray(0, 256 * 1024)).toString('latin1');
  const isWall =
    HEADERS.some((name) => /challenge|captcha/i.test(String(headers[name]))) ||
    TEST_PAGES.some((mark) => mark.test(page));
  return isWall
    ? `The server at ${new URL(url).host} answered with a test for browsers (a bot wall), which Gatefold cannot pass: ` +
        'ask the publisher to let feed readers through.'
    : null;
}
