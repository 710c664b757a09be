import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { z } from 'zod';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { hashOf } from '../../../common/secrets/token-hash.js';

/** A cookie whose content only this service can read and write. */
export interface CookieKind<Schema extends z.ZodType> {
  /** Begins with `gatefold_`, which keeps it from external apps, see `host-cookies`. */
  readonly name: string;
  /** Purpose for `SecretBox`. */
  readonly purpose: string;
  /** Path of the cookie, below the root of the installation. */
  readonly path: string;
  readonly content: Schema;
  readonly livesSeconds: number;
}

const LONGEST = 4000;
const Timed = z.object({ content: z.unknown(), expiresSeconds: z.number() });

/**
 * State of a login in progress, kept by the browser and bound to it. Only a login that succeeds writes a
 * row, so that strangers cannot fill tables.
 */
@Injectable()
export class SealedCookies {
  constructor(
    private readonly secretBox: SecretBox,
    private readonly address: PublicAddress,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly allowances: Allowances,
  ) {}

  set<Schema extends z.ZodType>(
    request: Request,
    response: Response,
    kind: CookieKind<Schema>,
    content: z.output<Schema>,
  ): void {
    const expiresSeconds = this.clock.nowSeconds() + kind.livesSeconds;
    const plain = JSON.stringify({ content, expiresSeconds });
    const sealed = this.secretBox.seal(plain, kind.purpose).toString('base64url');
    const maxAge = kind.livesSeconds * 1000;
    response.cookie(kind.name, sealed, { ...this.#options(request, kind.path), maxAge });
  }

  /** @returns null without a cookie, and for one that expired or was sealed with another key */
  read<Schema extends z.ZodType>(
    { headers }: Pick<Request, 'headers'>,
    { name, purpose, content: schema }: CookieKind<Schema>,
  ): z.output<Schema> | null {
    const sealed = sealedIn(headers.cookie, name);
    const plain = sealed === null ? null : this.#open(sealed, purpose);
    if (plain === null) {
      return null;
    }
    const { content, expiresSeconds } = Timed.parse(JSON.parse(plain));
    // Sealed by an earlier version, perhaps.
    const { success, data } = schema.safeParse(content);
    return success && expiresSeconds > this.clock.nowSeconds() ? data : null;
  }

  /**
   * Call before a session begins: a browser may have kept the cookie, so clearing it is not enough.
   *
   * @returns false if a login with this cookie succeeded before, in any process
   */
  async use<Schema extends z.ZodType>(
    { headers }: Pick<Request, 'headers'>,
    { name, livesSeconds }: CookieKind<Schema>,
  ): Promise<boolean> {
    const sealed = sealedIn(headers.cookie, name);
    if (sealed === null) {
      return false;
    }
    const owner = `cookie ${hashOf(sealed.toString('base64url')).toString('base64url')}`;
    const once = { kind: name, most: 1, periodSeconds: livesSeconds };
    return (await this.allowances.take(owner, once)).granted === 1;
  }

  clear<Schema extends z.ZodType>(
    request: Request,
    response: Response,
    { name, path }: CookieKind<Schema>,
  ): void {
    response.clearCookie(name, this.#options(request, path));
  }

  #open(sealed: Buffer, purpose: string): string | null {
    try {
      return this.secretBox.open(sealed, purpose);
    } catch {
      // Sealed with another key, or damaged.
      return null;
    }
  }

  #options(request: Request, path: string): CookieOptions {
    return {
      httpOnly: true,
      // `lax`: the redirect back from a provider is a cross-site navigation.
      sameSite: 'lax',
      secure: this.config.baseUrl?.startsWith('https:') === true || request.secure,
      path: this.address.pathOf(path),
    };
  }
}

function sealedIn(cookies: string | undefined, name: string): Buffer | null {
  const cookie = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{1,${LONGEST}})\\s*(?=;|$)`);
  const [, sealed] = cookie.exec(cookies ?? '') ?? [];
  return sealed === undefined ? null : Buffer.from(sealed, 'base64url');
}
