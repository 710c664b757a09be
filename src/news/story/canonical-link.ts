/** An address in the form in which copies of one article agree. */
export interface CanonicalLink {
  readonly host: string;
  /** Host, path and the parameters that name an article. */
  readonly page: string;
  /** Host, dates, language and last part of the path, equal in all sections of a publisher; null if that is too little. */
  readonly slug: string | null;
  /** Whether the address names one article, and no section or standing page. */
  readonly isSpecific: boolean;
  /** A part of the page, as of a live report; empty if none is named. */
  readonly part: string;
}

const LONGEST_ADDRESS = 4_000;

/** Hosts of the same pages in another form. */
const FORMS = new Set(['www', 'm', 'mobile', 'mobil', 'touch', 'amp', 'wap']);
const FORM_SEGMENTS = new Set(['amp', 'amphtml', 'm', 'mobile']);

/** Parameters in which a redirector carries the address that it leads to. */
const CARRYING = ['url', 'u', 'q', 'z', 'to', 'target', 'dest', 'destination'];
const REDIRECTING = new Set(['url', 'l.php', 'redirect', 'redir', 'link', 'out', 'away.php', '']);

const TRACKING =
  /^(?:(?:utm|at|ns|mc|pk|mtm|piwik|hsa|wt|itm|trk|oly|fb|ga|stm|ga|sc|__)[_.-]|.*clid$|.*cmp(?:id)?$|xtor|ref(?:_?src|_?url|err?er)?$|rss|feed|source$|src$|from$|share|smid$|smtyp$|ocid$|ito$|wtmc$|mbid$|via$|amp$|[a-z]?cid$|icid$|partner$|campaign|traffic|igsh|mkt_tok$|output|feature$|si$|spm$|tpcc$|sref$|gucc|gift|unlocked)/i;

/** Parameters that name an article, its part or its language even beside a path that names one. */
const NAMING =
  /^(?:(?:id|p|nid|aid|(?:article|story|news|item|post|page)[_-]?(?:id)?)=.*\d|(?:lang|language|locale|hl)=)/i;
/** Paths of scripts, which show what their parameters name. */
const SCRIPT = /\.(?:php|aspx?|jsp|cgi|do|pl)$/i;

export function canonicalLink(address: string): CanonicalLink | null {
  const url = address.length > LONGEST_ADDRESS ? null : targetOf(address);
  if (url === null) {
    return null;
  }
  const labels = url.hostname.replace(/\.$/, '').split('.');
  const host = labels.filter((label, n) => n >= labels.length - 2 || !FORMS.has(label)).join('.');
  const segments = segmentsOf(url.pathname);
  const namesByPath = segments.some(isName) && !SCRIPT.test(url.pathname);
  const parameters = [...url.searchParams]
    .filter(([name, value]) =>
      namesByPath ? NAMING.test(`${name}=${value}`) : !TRACKING.test(name) && value !== 'amp',
    )
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  const last = segments.at(-1) ?? '';
  const dated = segments.slice(0, -1).filter((segment) => /\d|^[a-z]{2}$/.test(segment));
  const page = `${host}/${segments.join('/')}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`;
  return {
    host,
    page,
    slug: isName(last) ? `${host}/${[...dated, last].join('/')}?${parameters.join('&')}` : null,
    isSpecific: namesByPath || parameters.some((parameter) => /=.*(?:\d{3}|\w{8})/.test(parameter)),
    part: /[=]|^#(?:comment|respond|more)/i.test(url.hash) ? '' : url.hash,
  };
}

/** Whether nothing but the host is named. */
export const isHomePage = (link: CanonicalLink): boolean => link.page === `${link.host}/`;

function targetOf(address: string): URL | null {
  let url = URL.parse(address);
  for (let hops = 0; hops < 3 && url !== null; hops += 1) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      return null;
    }
    const next = carriedBy(url);
    if (next === null) {
      return url;
    }
    url = next;
  }
  return url;
}

function carriedBy(url: URL): URL | null {
  const { hostname, pathname, searchParams } = url;
  const amp =
    hostname.endsWith('.cdn.ampproject.org') || hostname.startsWith('www.google.')
      ? /^\/(?:amp|c|v|i)\/(?:s\/)?(.+\..+)$/.exec(pathname)
      : null;
  if (amp !== null) {
    return URL.parse(`https://${amp[1]}${url.search}`);
  }
  if (!REDIRECTING.has(pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase())) {
    return null;
  }
  for (const name of CARRYING) {
    const value = searchParams.get(name);
    if (value !== null && /^https?:\/\/[^/]+\.[^/]+/i.test(value)) {
      return URL.parse(value);
    }
  }
  return null;
}

function segmentsOf(pathname: string): string[] {
  const segments = pathname.split('/', 40).filter((segment) => segment !== '');
  const last = segments.at(-1) ?? '';
  segments.splice(-1, 1, readable(last.replace(/;.*$/, '')).replace(/[.,-]amp(?=\.html?$|$)/, ''));
  if (/^(?:index|default)\.[a-z]{3,5}$/i.test(last)) {
    segments.pop();
  }
  return segments.filter((segment) => segment !== '' && !FORM_SEGMENTS.has(segment));
}

function readable(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Whether a part of a path names one article: four words, a number of five digits, or an identifier. */
function isName(segment: string): boolean {
  const words = segment.split(/[-_+ ]/, 5).length;
  return (
    words > 3 ||
    /\d{5}/.test(segment) ||
    (segment.length >= 8 && /\d/.test(segment) && /[a-z]/i.test(segment) && words === 1) ||
    (/[^ -~]/.test(segment) && segment.length >= 12)
  );
}
