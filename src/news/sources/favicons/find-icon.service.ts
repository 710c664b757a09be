import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock } from '../../../common/clock.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { rasterTypeOf } from '../../../common/raster-type.js';
import {
  downloadFeed,
  type DownloadedDocument,
  type FeedDownload,
} from '../fetch/download-feed.js';
import { readLinkTags, type LinkTag } from '../fetch/link-tags.js';
import { ScheduleRepository } from '../schedule/schedule.repository.js';

export interface FoundIcon {
  readonly bytes: Uint8Array;
  /** Determined from the bytes; the Content-Type header is ignored. */
  readonly mime: string;
  readonly url: string;
  /** Maximum age; null if the server does not say. */
  readonly lifeSeconds: number | null;
}

/** The host asked for a pause, or is busy for long. */
export class HostRests extends Error {}

const MAX_ICON_BYTES = 1024 * 1024;
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
const TIMEOUT_SECONDS = 10;

/** Failures after which the website is not asked for a second address. */
const NOT_REACHED = new Set(['host-not-found', 'network', 'timeout', 'not-allowed']);

/** Bounds the requests that a page can make us send. */
const MAX_ICONS_OF_PAGE = 3;

/** Size in which clients draw icons, in pixels. */
const WANTED_SIZE = 32;

/** Finds icons. Raster images only, since an SVG may run script. Requests take slots of hosts. */
@Injectable()
export class IconFinder {
  constructor(
    private readonly outgoing: OutgoingHttp,
    private readonly schedule: ScheduleRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the first of a website's icons, in order of preference, that can be downloaded
   * @throws HostRests, and the reason of `signal`
   */
  async ofSite(url: string, signal: AbortSignal): Promise<FoundIcon | null> {
    const page = await this.#get(url, 'text/html, application/xhtml+xml, */*;q=0.1', signal);
    if (page.outcome === 'failed' && NOT_REACHED.has(page.kind)) {
      return null;
    }
    const isRead = page.outcome === 'document';
    const usual = new URL('/favicon.ico', isRead ? page.url : url).href;
    for (const address of new Set([...(isRead ? await iconsOf(page) : []), usual])) {
      const icon = await this.at(address, signal);
      if (icon) {
        return icon;
      }
    }
    return null;
  }

  /** @returns the icon at an address, as `ofSite` */
  async at(url: string, signal: AbortSignal): Promise<FoundIcon | null> {
    const answer = await this.#get(url, 'image/*', signal);
    const mime = answer.outcome === 'document' ? rasterTypeOf(answer.bytes) : null;
    if (answer.outcome !== 'document' || answer.isCut || !mime) {
      return null;
    }
    const { maxAgeSeconds, expiresAtSeconds } = answer.caching;
    const untilExpiry = expiresAtSeconds && expiresAtSeconds - this.clock.nowSeconds();
    return {
      bytes: answer.bytes,
      mime,
      url: answer.url,
      lifeSeconds: maxAgeSeconds ?? untilExpiry,
    };
  }

  async #get(url: string, accept: string, signal: AbortSignal): Promise<FeedDownload> {
    const slot = await this.schedule.takeSlot(new URL(url).hostname);
    if (slot === null) {
      throw new HostRests();
    }
    await delay(slot.waitMs, undefined, { signal });
    const maxBytes = accept === 'image/*' ? MAX_ICON_BYTES : MAX_PAGE_BYTES;
    const answer = await downloadFeed(this.outgoing, {
      url,
      headers: { accept },
      nowSeconds: this.clock.nowSeconds(),
      timeoutSeconds: TIMEOUT_SECONDS,
      maxWireBytes: maxBytes,
      maxDecodedBytes: maxBytes,
      signal,
    });
    if (await this.schedule.noteAnswer(slot, answer)) {
      throw new HostRests();
    }
    return answer;
  }
}

/** Icons by fit, the smallest that is large enough first; then touch icons. */
async function iconsOf(page: DownloadedDocument): Promise<string[]> {
  const tags = (await readLinkTags(page.bytes, page.url)).filter(isRaster);
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
