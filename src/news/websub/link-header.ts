/** Who tells about changes of a feed, and under which address it knows the feed. */
export interface WebSubHub {
  readonly hubUrl: string;
  readonly topicUrl: string;
}

const LONGEST_HEADER = 8192;

/**
 * Hub and topic of a `Link` header. Servers put several links into one header, separated by
 * commas, which addresses may hold too; hence links are found by their angle brackets.
 *
 * @param pageUrl what relative addresses refer to
 * @returns null unless a hub is named; the topic is the page itself when it names no other
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
