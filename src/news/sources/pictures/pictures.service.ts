import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { notFound, tooMany } from '../../../common/errors/domain-error.js';
import { FairTurns } from '../../../common/fair-turns.js';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { rasterTypeOf, type RasterType } from '../../../common/raster-type.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { HOUR_SECONDS, MIB } from '../../../common/units.js';
import { forOthersToo } from '../../../database/statement-limits.js';
import { SourcesSettings } from '../sources.settings.js';
import { PictureCache } from './picture-cache.service.js';

export interface Picture {
  readonly mime: RasterType;
  readonly bytes: Uint8Array;
}

/** 144 bits. */
const SIGNATURE_BYTES = 18;

const TIMEOUT_SECONDS = 15;

/** Limits; each download may take the largest size in memory. */
const TURNS = { atOnce: 12, atOnceOfOwner: 6, waiting: 1_000, waitingOfOwner: 200 };
const RETRY_AFTER_SECONDS = 10;

/** An address that failed is not asked again before. */
const FAILURE_SECONDS = 300;
const MOST_FAILURES = 10_000;

/** Covers unknown, unsigned and unreadable pictures alike. */
export class PictureNotFound extends notFound(
  (why: string) => `There is no such picture: ${why}.`,
) {}

export class PicturesNotServed extends notFound(
  'This installation does not serve pictures of articles; see GATEFOLD_PICTURES.',
) {}

export class TooManyPictures extends tooMany(
  'Too many pictures were asked for. Try again later.',
  (retryAfterSeconds: number) => ({ retryAfterSeconds }),
) {}

/** Pictures of publishers, loaded by this service in place of the browsers. @see docs/decisions/0038 */
@Injectable()
export class PicturesService {
  readonly #key: Buffer;
  readonly #turns = new FairTurns(TURNS, () => new TooManyPictures(RETRY_AFTER_SECONDS));
  readonly #loading = new Map<string, Promise<Picture>>();
  /** Unix seconds until which a failed address is not retried; oldest first. */
  readonly #failedUntil = new Map<string, number>();

  constructor(
    private readonly config: Config,
    private readonly settings: SourcesSettings,
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly cache: PictureCache,
    private readonly allowances: Allowances,
    secrets: SecretBox,
  ) {
    this.#key = secrets.keyFor('addresses of pictures');
  }

  /**
   * Signs addresses of pictures for one user, so that neither other websites nor links of other users can
   * make this service load anything.
   *
   * @returns a signature for each http and https address; others are omitted
   */
  sign(userId: string, addresses: readonly string[]): Map<string, string> {
    this.#assertServed();
    return new Map(
      addresses
        .filter((address) => /^https?:\/\//i.test(address) && URL.canParse(address))
        .map((address) => [address, this.#signature(userId, address).toString('base64url')]),
    );
  }

  /**
   * A raster picture, from the cache or from its publisher.
   *
   * @throws PictureNotFound without a valid signature, or if it cannot be loaded
   */
  async find(userId: string, address: string, signature: string): Promise<Picture> {
    this.#assertServed();
    const given = Buffer.from(signature, 'base64url');
    const isSigned =
      given.length === SIGNATURE_BYTES && timingSafeEqual(given, this.#signature(userId, address));
    PictureNotFound.unless(isSigned, 'its address is not signed for you');
    const known = await this.#known(address);
    if (known !== null) {
      return known;
    }
    return this.#loading.get(address) ?? this.#load(userId, address);
  }

  #signature(userId: string, address: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([userId, address]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }

  #assertServed(): void {
    if (this.config.pictures !== 'proxy') {
      throw new PicturesNotServed();
    }
  }

  /** @throws PictureNotFound if it could not be loaded a moment ago */
  async #known(address: string): Promise<Picture | null> {
    const kept = await this.cache.find(address);
    const mime = kept && rasterTypeOf(kept);
    if (kept !== null && mime !== null) {
      return { mime, bytes: kept };
    }
    if ((this.#failedUntil.get(address) ?? 0) > this.clock.nowSeconds()) {
      throw new PictureNotFound('it could not be loaded a moment ago');
    }
    return null;
  }

  async #load(userId: string, address: string): Promise<Picture> {
    await this.#countDownload(userId);
    const begun = this.#loading.get(address);
    if (begun !== undefined) {
      return begun;
    }
    const loading = forOthersToo(() => this.#loadUnlessKnown(userId, address)).finally(() =>
      this.#loading.delete(address),
    );
    this.#loading.set(address, loading);
    return loading;
  }

  /** Checks again: another download may have ended meanwhile. */
  async #loadUnlessKnown(userId: string, address: string): Promise<Picture> {
    return (await this.#known(address)) ?? this.#turns.run(userId, () => this.#download(address));
  }

  async #download(address: string): Promise<Picture> {
    const maxBytes = this.settings.largestPictureMib * MIB;
    try {
      const answer = await this.outgoing.request({
        url: address,
        headers: { accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.5' },
        timeoutSeconds: TIMEOUT_SECONDS,
        maxWireBytes: maxBytes,
        maxDecodedBytes: maxBytes,
      });
      const mime = rasterTypeOf(answer.body);
      if (answer.status !== 200 || mime === null) {
        throw new PictureNotFound('its server sent none');
      }
      await this.cache.keep(address, answer.body);
      return { mime, bytes: answer.body };
    } catch (error) {
      if (error instanceof OutgoingHttpError || error instanceof PictureNotFound) {
        this.#rememberFailure(address);
        throw new PictureNotFound('it could not be loaded');
      }
      throw error;
    }
  }

  #rememberFailure(address: string): void {
    this.#failedUntil.delete(address);
    this.#failedUntil.set(address, this.clock.nowSeconds() + FAILURE_SECONDS);
    dropOldest(this.#failedUntil, MOST_FAILURES);
  }

  async #countDownload(userId: string): Promise<void> {
    if (!this.config.rateLimits) {
      return;
    }
    const most = this.config.limits['pictures-per-user-and-hour'];
    const allowance = { kind: 'pictures', most, periodSeconds: HOUR_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(userId, allowance);
    if (granted === 0) {
      throw new TooManyPictures(waitSeconds);
    }
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) {
      return;
    }
    map.delete(oldest);
  }
}
