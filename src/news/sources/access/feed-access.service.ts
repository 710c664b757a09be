import { Injectable } from '@nestjs/common';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import type { FeedAddress } from '../feed-address.js';
import { shownAddress } from '../shown-address.js';
import { SourcesRepository } from '../sources.repository.js';

/** Headers and credentials for a publisher, per reader; empty texts are not sent. */
export interface FeedAccess {
  readonly userName: string;
  readonly password: string;
  /** Replaces Gatefold's. */
  readonly userAgent: string;
  readonly cookie: string;
}

/** Values that a user enters; absent ones are not changed. */
export type PartialAccess = { readonly [Name in keyof FeedAccess]?: FeedAccess[Name] | undefined };

export const NO_ACCESS: FeedAccess = { userName: '', password: '', userAgent: '', cookie: '' };

/**
 * Seals the headers that a user has for a feed, and opens them for requests to its origin. Nothing
 * else reads them: they are in no answer, export or log.
 */
@Injectable()
export class FeedAccessBox {
  constructor(private readonly secretBox: SecretBox) {}

  /**
   * The address with these headers: a source of its own, which only users with the same ones share.
   * Its key does not reveal them, since it depends on the secret key.
   */
  seal(address: FeedAddress, access: FeedAccess): FeedAddress {
    if (Object.values(access).every((value) => value === '')) {
      return address;
    }
    const { userName, password, userAgent, cookie } = access;
    const text = JSON.stringify([userName, password, userAgent, cookie]);
    const purpose = purposeOf(address.href);
    return {
      ...address,
      key: this.secretBox.digest(`${address.href}\0${text}`, purpose),
      access: this.secretBox.seal(text, purpose),
    };
  }

  /**
   * Opens an access sealed for an address of the same origin. Empty for another origin, for null, and when
   * the secret key was replaced.
   */
  open(url: string, sealed: Uint8Array | null): FeedAccess {
    if (!this.opens(url, sealed) || sealed === null) {
      return NO_ACCESS;
    }
    const opened = this.secretBox.open(sealed, purposeOf(url));
    const [userName = '', password = '', userAgent = '', cookie = ''] = JSON.parse(
      opened,
    ) as string[];
    return { userName, password, userAgent, cookie };
  }

  opens(url: string, sealed: Uint8Array | null): boolean {
    return sealed !== null && this.secretBox.opens(sealed, purposeOf(url));
  }

  /** Headers of a request to this address. */
  headers(url: string, sealed: Uint8Array | null): Record<string, string> {
    const { userName, password, userAgent, cookie } = this.open(url, sealed);
    const credentials = Buffer.from(`${userName}:${password}`).toString('base64');
    return {
      ...(userName + password !== '' && { authorization: `Basic ${credentials}` }),
      ...(userAgent !== '' && { 'user-agent': userAgent }),
      ...(cookie !== '' && { cookie }),
    };
  }
}

/** Removes absent values. */
export function given(access: PartialAccess): Partial<FeedAccess> {
  const entries = Object.entries(access).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<FeedAccess>;
}

function purposeOf(url: string): string {
  return `headers of feeds at ${new URL(url).origin}`;
}

/** The sealed headers of feeds, and their handling if the secret key is lost. */
@Injectable()
export class SealedAccess {
  constructor(
    sealed: SealedValues,
    private readonly sources: SourcesRepository,
    private readonly box: FeedAccessBox,
  ) {
    sealed.register({
      what: 'passwords and cookies of feeds',
      remedy: 'They are deleted. Users enter them again in the settings of their feeds.',
      lost: async () => (await this.#lost()).map(({ url }) => shownAddress(url)),
      replaceLost: async () =>
        this.sources.setAccess(
          (await this.#lost()).map(({ id }) => id),
          null,
        ),
    });
  }

  async #lost(): Promise<{ readonly id: number; readonly url: string }[]> {
    const sources = await this.sources.listWithAccess();
    return sources.filter(({ url, access }) => access !== null && !this.box.opens(url, access));
  }
}
