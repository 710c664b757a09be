/**
 * Hosts whose pictures count readers or show advertisements, with all hosts below them. Collected from
 * feeds in the field: FeedBurner, Pheedo, FeedsPortal and WordPress add their own pictures to feeds;
 * the others are the advertising and statistics services that publishers embed most. Miniflux blocks
 * the first group too (`internal/reader/sanitizer`). Pictures of one pixel are dropped on any host.
 */
const TRACKING_HOSTS: ReadonlySet<string> = new Set([
  // Services for feeds.
  'feeds.feedburner.com',
  'feedproxy.google.com',
  'feedsportal.com',
  'pheedo.com',
  'feeds.wordpress.com',
  'stats.wordpress.com',
  'pixel.wp.com',
  'api.flattr.com',
  'rss.buysellads.com',
  'feedblitz.com',
  'counter.theconversation.com',
  // Advertisements.
  'doubleclick.net',
  'googlesyndication.com',
  'googleadservices.com',
  'adsrvr.org',
  'bluekai.com',
  'adnxs.com',
  'criteo.com',
  'amazon-adsystem.com',
  'taboola.com',
  'outbrain.com',
  // Statistics.
  'google-analytics.com',
  'googletagmanager.com',
  'scorecardresearch.com',
  'quantserve.com',
  'statcounter.com',
  'chartbeat.net',
  'omtrdc.net',
  '2o7.net',
  'ioam.de',
  'cpx.golem.de',
  'bat.bing.com',
  'px.ads.linkedin.com',
  'analytics.twitter.com',
]);

/** Addresses that count readers on hosts that also have pictures. */
const TRACKING_PATHS =
  /^https?:\/\/(?:www\.facebook\.com\/tr[/?]|(?:[\w-]{1,60}\.)?medium\.com\/_\/stat|[\w.-]{1,100}\.list-manage\.com\/track\/|[\w.-]{1,100}\/wf\/open\?)/i;

/** Pages to share an article on; links to them are icons in feeds. */
const SHARING =
  /^https?:\/\/(?:(?:www|m)\.)?(?:facebook\.com\/(?:sharer|share\.php|dialog\/share)|(?:twitter|x)\.com\/(?:intent\/|share\b|home\?status=)|linkedin\.com\/(?:shareArticle|sharing\/)|pinterest\.com\/pin\/create\/|reddit\.com\/submit|tumblr\.com\/share|getpocket\.com\/(?:save|edit)|(?:api\.)?addtoany\.com\/|addthis\.com\/|digg\.com\/submit|stumbleupon\.com\/submit|feeds\.feedburner\.com\/~ff\/|feeds\.wordpress\.com\/1\.0\/go|(?:plus\.)?google\.com\/share)/i;

const ONE_PIXEL = /^\s*[01](?:\.0+)?(?:px)?\s*$/;
const STYLED_ONE_PIXEL =
  /(?:^|;)\s*(?:width|height)\s*:\s*[01](?:px)?\s*(?:!\s*important\s*)?(?:;|$)/i;

/**
 * Whether a picture counts readers instead of showing something.
 *
 * @param address absolute
 * @param attributes of its element, as written
 */
export function isTracker(
  address: string | null,
  attributes: Readonly<Record<string, string>>,
): boolean {
  const isTiny = ['width', 'height'].some(
    (side) => Object.hasOwn(attributes, side) && ONE_PIXEL.test(attributes[side] ?? ''),
  );
  const style = Object.hasOwn(attributes, 'style') ? (attributes['style'] ?? '') : '';
  return isTiny || STYLED_ONE_PIXEL.test(style) || (address !== null && isTrackingAddress(address));
}

/** Whether a link leads to a page to share the article on. @param address absolute */
export function leadsToSharing(address: string): boolean {
  return SHARING.test(address);
}

function isTrackingAddress(address: string): boolean {
  if (TRACKING_PATHS.test(address)) {
    return true;
  }
  const host = /^https?:\/\/([\w.-]{1,253})/i.exec(address)?.[1]?.toLowerCase() ?? '';
  // Every name that the host is below.
  for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    if (TRACKING_HOSTS.has(name)) {
      return true;
    }
  }
  return false;
}
