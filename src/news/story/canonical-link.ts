/** An address in the form in which copies of one article agree. */
export interface CanonicalLink {
  readonly host: string;
  /** Host, path and the parameters that name an article; null if it is no more than a host. */
  readonly page: string | null;
  /** Host, dates, language and last part of the path, equal in a publisher's sections; null if that is little. */
  readonly slug: string | null;
  /** Whether the page is one article, and no section or standing page. */
  readonly isSpecific: boolean;
  /** A part of the page, as of a live report; empty if none is named. */
  readonly part: string;
}

const LONGEST_ADDRESS = 4_000;
const MOST_HOPS = 3;

/** Hosts and paths of the same pages in another form. */
const FORMS = new Set(['www', 'm', 'mobile', 'mobil', 'touch', 'amp', 'amphtml', 'wap']);

/** Paths of redirectors, and the parameters in which they carry the address that they lead to. */
const REDIRECTING = /\/(?:url|l\.php|redir(?:ect)?|link|out|away\.php)?$/i;
const CARRYING = ['url', 'u', 'q', 'z', 'to', 'target', 'dest', 'destination'];
const AMP_PATH = /^\/(?:amp|c|v|i)\/(?:s\/)?([^/]+\..+)$/;

const TRACKING =
  /^(?:(?:utm|at|ns|mc|pk|mtm|piwik|hsa|wt|itm|trk|oly|fb|ga|stm|sc|__)[_.-]|.*clid$|.*cmp(?:id)?$|xtor|ref(?:_?src|_?url|err?er)?$|rss|feed|so?u?rce?$|from$|share|smid$|smtyp$|ocid$|ito$|wtmc$|mbid$|via$|amp$|[a-z]?cid$|partner$|campaign|traffic|igsh|mkt_tok$|output|feature$|si$|spm$|tpcc$|sref$|gucc|gift|unlocked)/i;

/** Parameters that name an article, its part or its language beside a path that names an article. */
const NAMING =
  /^(?:(?:id|p|nid|aid|(?:article|story|news|item|post|page)[_-]?(?:id)?)=.*\d|(?:lang|language|locale|hl)=)/i;
/** Values that may name an article: numbers, and letters as in no word. */
const IDENTIFIER = /\d{3}|\d.*[a-z]|[a-z].*[\dA-Z]/;
/** Paths of scripts, which show what their parameters name. */
const SCRIPT = /\.(?:php|aspx?|jsp|cgi|do|pl)$/i;

export function canonicalLink(address: string): CanonicalLink | null {
  const url = address.length > LONGEST_ADDRESS ? null : targetOf(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return null;
  }
  const labels = url.hostname.replace(/\.$/, '').split('.');
  const host = labels.filter((label, n) => n >= labels.length - 2 || !FORMS.has(label)).join('.');
  const segments = segmentsOf(url.pathname);
  const isScript = SCRIPT.test(url.pathname);
  const namesByPath = (segments.some(isName) || isOfADay(segments)) && !isScript;
  const parameters = [...url.searchParams]
    .filter(
      ([name, value]) =>
        NAMING.test(`${name}=${value}`) ||
        (!namesByPath && !TRACKING.test(name) && (isScript || IDENTIFIER.test(value))),
    )
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  const query = parameters.length > 0 ? `?${parameters.join('&')}` : '';
  const last = segments.at(-1) ?? '';
  const dated = segments.slice(0, -1).filter((segment) => /\d|^[a-z]{2}$/.test(segment));
  return {
    host,
    page: last + query === '' ? null : `${host}/${segments.join('/')}${query}`,
    slug: isName(last) ? `${host}//${[...dated, last].join('/')}${query}` : null,
    isSpecific: namesByPath || parameters.some((one) => /=.*(?:\d{3}|\w{8})/.test(one)),
    part: /=|^#(?:comment|respond|more)/i.test(url.hash) ? '' : url.hash,
  };
}

function targetOf(address: string): URL | null {
  let url = URL.parse(address);
  for (let hops = 0; hops < MOST_HOPS && url !== null; hops += 1) {
    const { hostname, pathname, search, searchParams }: URL = url;
    const isAmp = hostname.endsWith('.cdn.ampproject.org') || hostname.startsWith('www.google.');
    const page: string | undefined = isAmp ? AMP_PATH.exec(pathname)?.[1] : undefined;
    const carried: string | null | undefined = REDIRECTING.test(pathname)
      ? CARRYING.map((name) => searchParams.get(name)).find((to) => /^https?:\/\/./i.test(to ?? ''))
      : undefined;
    const next: string | null | undefined =
      page === undefined ? carried : `https://${page}${search}`;
    if (next === undefined || next === null) {
      return url;
    }
    url = URL.parse(next);
  }
  return url;
}

function segmentsOf(pathname: string): string[] {
  const segments = pathname.split('/', 40).filter((segment) => segment !== '');
  const last = (segments.pop() ?? '').replace(/;.*$/, '').replace(/[.,-]amp(?=\.html?$|$)/, '');
  const isIndex = /^(?:index|default)\.[a-z]{3,5}$/i.test(last);
  return [...segments, isIndex ? '' : readable(last)].filter(
    (one) => one !== '' && !FORMS.has(one),
  );
}

function readable(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Whether a path is of something that was published at a date: `2026/11/short-name`. */
const isOfADay = (segments: readonly string[]): boolean =>
  segments.slice(0, -1).some((segment) => /^(?:19|20)\d\d$/.test(segment)) &&
  /\D{3}/.test(segments.at(-1) ?? '');

/** Whether a part of a path names one article: four words, a number of five digits, or an identifier. */
function isName(segment: string): boolean {
  const words = segment.split(/[-_+ ]/, 4).length;
  const isIdentifier = /\d/.test(segment) && /[a-z]/i.test(segment) && words === 1;
  const isLong = segment.length >= 12 && /[^ -~]/.test(segment);
  return words > 3 || /\d{5}/.test(segment) || (segment.length >= 8 && isIdentifier) || isLong;
}
