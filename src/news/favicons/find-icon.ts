import { Injectable } from '@nestjs/common';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { OutgoingHttp, type OutgoingAnswer } from '../../common/http/outgoing-http.js';
import { rasterTypeOf } from '../../common/raster-type.js';
import { readLinkTags, type LinkTag } from '../sources/fetch/link-tags.js';

interface IconQuery {
  /** The icon that the feed's document names. */
  readonly iconUrl: string | null;
  /** The website the feed belongs to. */
  readonly siteUrl: string | null;
  /** Used when the feed names no website. Its credentials are not sent. */
  readonly feedUrl: string;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundIcon {
  readonly bytes: Uint8Array;
  /** Determined from the bytes; the Content-Type header is ignored. */
  readonly mime: string;
  readonly url: string;
}

const MAX_ICON_BYTES = 1024 * 1024;
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
const TIMEOUT_SECONDS = 10;

/** Bounds the requests that a page can make us send. */
const MAX_ICONS_OF_PAGE = 3;

/** Size in which clients draw icons, in pixels. */
const WANTED_SIZE = 32;

/**
 * Finds the icon of a feed: its own, else one that its website names, else the website's
 * `/favicon.ico`. Raster images only, since an SVG may run script.
 */
@Injectable()
export class IconFinder {
  constructor(private readonly outgoing: OutgoingHttp) {}

  /**
   * @returns null when there is none that can be downloaded
   * @throws only the reason of `signal`
   */
  async find(query: IconQuery): Promise<FoundIcon | null> {
    const tried = new Set<string>();
    for await (const url of this.#candidates(query)) {
      if (tried.has(url)) {
        continue;
      }
      tried.add(url);
      const icon = await this.#download(url, query);
      if (icon) {
        return icon;
      }
    }
    return null;
  }

  /** In order of preference. The website is fetched only if the feed's own icon fails. */
  async *#candidates({ iconUrl, siteUrl, feedUrl, signal }: IconQuery): AsyncGenerator<string> {
    if (iconUrl) {
      yield iconUrl;
    }
    const feedServer = new URL('/', feedUrl);
    feedServer.username = '';
    feedServer.password = '';
    const site = siteUrl ?? feedServer.href;

    const page = await this.#get(site, {
      accept: 'text/html, application/xhtml+xml, */*;q=0.1',
      maxBytes: MAX_PAGE_BYTES,
      signal,
    });
    const pageUrl = page?.url ?? site;
    if (page) {
      yield* iconsOf(page);
    }
    yield new URL('/favicon.ico', pageUrl).href;
  }

  async #download(url: string, { signal }: IconQuery): Promise<FoundIcon | null> {
    const answer = await this.#get(url, { accept: 'image/*', maxBytes: MAX_ICON_BYTES, signal });
    const mime = answer && rasterTypeOf(answer.body);
    return mime ? { bytes: answer.body, mime, url: answer.url } : null;
  }

  async #get(
    url: string,
    { accept, maxBytes, signal }: { accept: string; maxBytes: number; signal: IconQuery['signal'] },
  ): Promise<OutgoingAnswer | null> {
    try {
      const answer = await this.outgoing.request({
        url,
        headers: { accept },
        timeoutSeconds: TIMEOUT_SECONDS,
        maxWireBytes: maxBytes,
        maxDecodedBytes: maxBytes,
        ...(signal && { signal }),
      });
      return answer.status === 200 ? answer : null;
    } catch (error) {
      if (error instanceof OutgoingHttpError) {
        return null;
      }
      throw error;
    }
  }
}

/** Icons by fit, the smallest that is large enough first; then touch icons. */
function iconsOf(page: OutgoingAnswer): string[] {
  const tags = readLinkTags(page.body, page.url).filter(isRaster);
  const icons = tags.filter(({ rel }) => rel.includes('icon'));
  const touchIcons = tags.filter(({ rel }) => rel.includes('apple-touch-icon'));
  const preferred = [...icons.sort((a, b) => misfit(a) - misfit(b)), ...touchIcons];
  return [...new Set(preferred.map(({ url }) => url))].slice(0, MAX_ICONS_OF_PAGE);
}

function isRaster({ type, url }: LinkTag): boolean {
  return !type.includes('svg') && !new URL(url).pathname.toLowerCase().endsWith('.svg');
}

/** Distance of an icon's size from the wanted one. Too small is worse than too large. */
function misfit({ sizes }: LinkTag): number {
  const distances = sizes
    .map((size) => Number(/^(\d+)x\d+$/.exec(size)?.[1]))
    .filter((size) => size > 0)
    .map((size) => (size >= WANTED_SIZE ? size - WANTED_SIZE : 10_000 - size));
  return distances.length > 0 ? Math.min(...distances) : 20_000;
}
