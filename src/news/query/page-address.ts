/** Parameters by which publishers and networks follow a click. */
const TRACKING =
  /^(?:utm_.+|(?:at|mc|mtm|pk|hsa|oly|wt)_.+|fbclid|gclid|dclid|msclkid|yclid|igshid|igsh|mkt_tok|ref_src|xtor)$/i;

/**
 * The address of a page without what does not name it: fragment and parameters of trackers. A fragment that is a
 * path stays.
 *
 * @param address http or https
 */
export function pageAddress(address: string): string {
  const url = new URL(address);
  if (!/^#!?\//.test(url.hash)) {
    url.hash = '';
  }
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  tracking.forEach((name) => url.searchParams.delete(name));
  return url.href;
}
