/** A hub that notifies of changes of a feed, and the address under which it knows the feed. */
export interface WebSubHub {
  readonly hubUrl: string;
  readonly topicUrl: string;
}

const LONGEST_HEADER = 8192;

/**
 * The links of a `Link` header. Several in one header are separated by commas, which addresses may
 * contain as well; so links are found by their angle brackets.
 *
 * @param pageUrl base of relative addresses
 */
export function linksOfHeader(header: string | readonly string[] | undefined, pageUrl: string) {
  const text = [header ?? ''].flat().join(', ').slice(0, LONGEST_HEADER);
  return [...text.matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(([, address = '', parameters = '']) => {
    const url = URL.parse(address.trim(), pageUrl);
    const [rel = '', type = ''] = ['rel', 'type'].map((name) =>
      new RegExp(`;\\s*${name}\\s*=\\s*"?([^";,]*)`, 'i').exec(parameters)?.[1]?.toLowerCase(),
    );
    const isWeb = url !== null && /^https?:$/.test(url.protocol);
    return isWeb ? [{ rel: rel.split(/\s+/), type: type.trim(), url: url.href }] : [];
  });
}

/** @returns null without a hub; the default topic is the page itself */
export function hubOfLinkHeader(
  header: string | readonly string[] | undefined,
  pageUrl: string,
): WebSubHub | null {
  const links = linksOfHeader(header, pageUrl);
  const linked = (relation: string) => links.find(({ rel }) => rel.includes(relation))?.url ?? null;
  const hubUrl = linked('hub');
  return hubUrl === null ? null : { hubUrl, topicUrl: linked('self') ?? pageUrl };
}
