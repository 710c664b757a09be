import { Injectable } from '@nestjs/common';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import type { FeedAddress } from '../feed-address.js';
import { shownAddress } from '../shown-address.js';
import { InvalidFeedAccess } from '../sources.errors.js';
import { SourcesRepository } from '../sources.repository.js';
import { endOf, type ClientCertificate } from './client-certificate.js';

/** Credentials for a publisher, per reader; empty texts are not sent. */
export interface FeedAccess {
  readonly userName: string;
  readonly password: string;
  /** Replaces Gatefold's. */
  readonly userAgent: string;
  readonly cookie: string;
  /** Sent as `Authorization: Bearer`, in place of name and password. */
  readonly token: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate: ClientCertificate | null;
}

/** Values that a user enters; absent ones are not changed. */
export type PartialAccess = { readonly [Name in keyof FeedAccess]?: FeedAccess[Name] | undefined };

export const NO_ACCESS: FeedAccess = {
  userName: '',
  password: '',
  userAgent: '',
  cookie: '',
  token: '',
  headers: {},
  certificate: null,
};

const MOST_HEADERS = 5;

/**
 * The access after a change; headers change one by one.
 *
 * @throws InvalidFeedAccess
 */
export function changedAccess(present: FeedAccess, change: PartialAccess): FeedAccess {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const headers = Object.entries({ ...present.headers, ...change.headers })
    .filter(([, value]) => value !== '')
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const access = { ...present, ...Object.fromEntries(given), headers: Object.fromEntries(headers) };
  if (headers.length > MOST_HEADERS) {
    throw new InvalidFeedAccess(`A feed may have at most ${MOST_HEADERS} headers of its own.`);
  }
  if (access.token !== '' && access.userName + access.password !== '') {
    throw new InvalidFeedAccess('A feed has either a user name and a password, or a token.');
  }
  return access;
}

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
    const text = textOf(access);
    if (text === textOf(NO_ACCESS)) {
      return address;
    }
    const purpose = purposeOf(address.href);
    return {
      ...address,
      key: this.secretBox.digest(`${address.href}\0${text}`, purpose),
      access: this.secretBox.seal(text, purpose),
      certificateEnds: access.certificate && endOf(access.certificate),
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
    const [userName, password, userAgent, cookie, others = {}] = JSON.parse(opened) as [
      string,
      string,
      string,
      string,
      OtherAccess?,
    ];
    return { ...NO_ACCESS, userName, password, userAgent, cookie, ...others };
  }

  opens(url: string, sealed: Uint8Array | null): boolean {
    return sealed !== null && this.secretBox.opens(sealed, purposeOf(url));
  }

  /** What is sent with a request to an address that has this access. */
  sentWith({ userName, password, userAgent, cookie, token, headers, certificate }: FeedAccess) {
    const basic = Buffer.from(`${userName}:${password}`).toString('base64');
    return {
      headers: {
        ...(userName + password !== '' && { authorization: `Basic ${basic}` }),
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(userAgent !== '' && { 'user-agent': userAgent }),
        ...(cookie !== '' && { cookie }),
      },
      ownOfOrigin: { headers, certificate },
    };
  }
}

type OtherAccess = Partial<Pick<FeedAccess, 'token' | 'headers' | 'certificate'>>;

/** As in versions that knew the first four only, if there is no more: keys are made of it. */
function textOf(access: FeedAccess): string {
  const { userName, password, userAgent, cookie, token, headers, certificate } = access;
  const hasMore = token !== '' || certificate !== null || Object.keys(headers).length > 0;
  const others = hasMore ? [{ token, headers, certificate }] : [];
  return JSON.stringify([userName, password, userAgent, cookie, ...others]);
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
          { access: null, certificateEnds: null },
        ),
    });
  }

  async #lost(): Promise<{ readonly id: number; readonly url: string }[]> {
    const sources = await this.sources.listWithAccess();
    return sources.filter(({ url, access }) => access !== null && !this.box.opens(url, access));
  }
}
