/** A hub that notifies of changes of a feed, and the address under which it knows the feed. */
export interface WebSubHub {
  readonly hubUrl: string;
  readonly topicUrl: string;
}

const LONGEST_HEADER = 8192;

/**
 * Hub and topic of a `Link` header. Several links in one header are separated by commas, which
 * addresses may contain as well; so links are found by their angle brackets.
 *
 * @param pageUrl base of relative addresses
 * @returns null without a hub; the default topic is the page itself
 */
export function hubOfLinkHeader(
  header: string | readonly string[] | undefined,
  pageUrl: string,
): WebSubHub | null {
  const text = [header ?? ''].flat().join(', ').slice(0, LONGEST_HEADER);
  const links = [...text.matchAll(/<([^<>]*)>([^<]*)/g)].map(
    ([, address = '', parameters = '']) => ({
      address,
      relations: (/;\s*rel\s*=\s*"?([^";,]*)/i.exec(parameters)?.[1] ?? '')
        .toLowerCase()
        .split(/\s+/),
    }),
  );
  const linked = (relation: string): string | null => {
    const link = links.find(({ relations }) => relations.includes(relation));
    const url = link === undefined ? null : URL.parse(link.address.trim(), pageUrl);
    return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
  };
  const hubUrl = linked('hub');
  return hubUrl === null ? null : { hubUrl, topicUrl: linked('self') ?? pageUrl };
}
