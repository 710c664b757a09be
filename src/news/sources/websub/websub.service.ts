import { Injectable, Logger } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { Config } from '../../../common/config/config.js';
import { notFound } from '../../../common/errors/domain-error.js';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { isPublicHttps } from '../../../common/http/public-https.js';
import { SparseWarnings } from '../../../common/logging/sparse-warnings.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { isSameSecret } from '../../../common/secrets/token-hash.js';
import type { FetchedFeed } from '../fetch/fetch-feed.service.js';
import { SourceRefresher } from '../refreshing/source-refresher.service.js';
import { ScheduleRepository } from '../schedule/schedule.repository.js';
import { SourcesSettings } from '../sources.settings.js';
import type { Source } from '../sources.sql.js';
import { WebSubRepository, type WebSubLease } from './websub.repository.js';

/** The parameters with which a hub verifies a request of ours. */
interface Verification {
  readonly mode: string;
  readonly topic: string;
  readonly challenge: string | undefined;
  readonly leaseSeconds: number | undefined;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Lease that we request; a hub may grant a shorter one. */
const LEASE_WANTED_SECONDS = 10 * DAY;
const LEASE_SHORTEST_SECONDS = 300;
const LEASE_LONGEST_SECONDS = 30 * DAY;

/** A lease is renewed when this share of it is left. */
const RENEWAL_SHARE = 0.1;

/** A process that dies during a step delays it by no more than this. */
const STEP_SECONDS = 120;
const VERIFY_WITHIN_SECONDS = HOUR;
const FIRST_PAUSE_SECONDS = HOUR;
const LONGEST_PAUSE_SECONDS = 7 * DAY;

const LEASES_PER_ROUND = 20;

/** However often a hub notifies us, a feed is fetched at most once in this time. */
const REST_SECONDS = 30;

const SEALED_FOR = 'secret of a WebSub hub';

const SIGNATURE_ALGORITHMS = new Set(['sha1', 'sha256', 'sha384', 'sha512']);

/** A hub takes this answer as a refusal. */
export class UnknownSubscription extends notFound('There is no such subscription.') {}

/**
 * The subscriber's side of WebSub: hubs notify us of a changed feed, which is then fetched at once. The
 * document in the notification is ignored: articles come from fetches only. Polling continues, less
 * often.
 *
 * @see https://www.w3.org/TR/websub/
 */
@Injectable()
export class WebSubService {
  readonly #logger = new Logger('WebSub');
  readonly #warnings = new SparseWarnings('WebSub');
  readonly #callbackRoot: string | null;
  #areSecretsSealed = false;

  constructor(
    { baseUrl }: Config,
    { websub }: SourcesSettings,
    private readonly outgoing: OutgoingHttp,
    private readonly leases: WebSubRepository,
    private readonly schedule: ScheduleRepository,
    private readonly secretBox: SecretBox,
    refresher: SourceRefresher,
  ) {
    refresher.onFetched((source, fetched) => this.#notice(source, fetched));
    this.#callbackRoot = callbackRoot({ websub, baseUrl });
    if (this.#callbackRoot === null && websub === 'on') {
      this.#logger.warn(
        'hubs cannot reach us: GATEFOLD_WEBSUB is on, but GATEFOLD_BASE_URL is not set',
      );
    }
  }

  /** Records the hub that the latest document of a source names, or that it names none. */
  async #notice(
    { id, url, access, hubUrl, topicUrl }: Source,
    fetched: FetchedFeed,
  ): Promise<void> {
    if (this.#callbackRoot === null || fetched.outcome !== 'feed') {
      return;
    }
    const { username, password } = new URL(url);
    // A hub cannot read a feed that needs credentials, and must not learn that we have them.
    const isOpen = username === '' && password === '' && access === null;
    const hub = isOpen ? fetched.hub : null;
    if (hubUrl === (hub?.hubUrl ?? null) && topicUrl === (hub?.topicUrl ?? null)) {
      return;
    }
    if (hub === null) {
      await this.leases.letGo(id);
      return;
    }
    await this.leases.want({
      ...hub,
      sourceId: id,
      callbackId: randomBytes(24).toString('base64url'),
      secretSealed: this.secretBox.seal(newSecret(), SEALED_FOR),
    });
  }

  /** Subscribes, renews and unsubscribes leases that are due. */
  async takeSteps(): Promise<void> {
    if (this.#callbackRoot === null) {
      return;
    }
    await this.#sealPlainSecrets();
    const due = await this.leases.takeDue(LEASES_PER_ROUND, STEP_SECONDS);
    await Promise.all(due.map((lease) => this.#takeStep(lease)));
  }

  /**
   * Verifies a request of ours for a hub.
   *
   * @returns the challenge to respond with
   * @throws UnknownSubscription
   */
  async verify(callbackId: string, verification: Verification): Promise<string> {
    const { mode, topic, challenge } = verification;
    const lease = await this.leases.find(callbackId);
    if (lease === null || lease.topicUrl !== topic) {
      throw new UnknownSubscription();
    }
    if (mode === 'denied') {
      await this.leases.noteRefused(callbackId, DAY);
      return '';
    }
    if (challenge === undefined) {
      throw new UnknownSubscription();
    }
    if (mode === 'unsubscribe' && lease.state === 'leaving') {
      await this.leases.remove(callbackId);
      return challenge;
    }
    if (mode === 'subscribe' && lease.state !== 'leaving') {
      const seconds = Math.min(
        Math.max(verification.leaseSeconds ?? LEASE_WANTED_SECONDS, LEASE_SHORTEST_SECONDS),
        LEASE_LONGEST_SECONDS,
      );
      await this.leases.noteActive(callbackId, seconds, seconds * (1 - RENEWAL_SHARE));
      return challenge;
    }
    throw new UnknownSubscription();
  }

  /**
   * Handles a notification: the source is due. One without a valid signature is ignored, but accepted,
   * as the specification requires.
   *
   * @param body read only if there is such a subscription
   * @param signature the `X-Hub-Signature` header, for instance `sha256=…`
   * @throws UnknownSubscription
   */
  async called(
    callbackId: string,
    body: AsyncIterable<Uint8Array>,
    signature: string | undefined,
  ): Promise<void> {
    const lease = await this.leases.find(callbackId);
    if (lease === null || lease.sourceId === null || lease.state === 'leaving') {
      throw new UnknownSubscription();
    }
    const secret = this.#secretOf(lease);
    if (secret === null || !(await isSignedWith(secret, body, signature))) {
      this.#warnings.warn(
        `source ${lease.sourceId}: ignored a notification of its hub without a valid signature`,
      );
      return;
    }
    await this.leases.noteCall(callbackId);
    await this.schedule.makeDue(lease.sourceId, REST_SECONDS);
  }

  /** @returns null for a secret that was encrypted with another key */
  #secretOf({ sourceId, secretSealed }: WebSubLease): string | null {
    try {
      return secretSealed && this.secretBox.open(secretSealed, SEALED_FOR);
    } catch {
      this.#warnings.warn(
        `source ${sourceId}: the secret of its hub was encrypted with another key; the next renewal replaces it`,
      );
      return null;
    }
  }

  async #renewSecret({ callbackId }: WebSubLease): Promise<string> {
    const secret = newSecret();
    await this.leases.changeSecret(callbackId, this.secretBox.seal(secret, SEALED_FOR));
    return secret;
  }

  /** Encrypts secrets that older versions stored in plain text. */
  async #sealPlainSecrets(): Promise<void> {
    while (!this.#areSecretsSealed) {
      const found = await this.leases.plainSecrets(LEASES_PER_ROUND);
      for (const { callbackId, secret } of found) {
        await this.leases.changeSecret(callbackId, this.secretBox.seal(secret, SEALED_FOR));
      }
      this.#areSecretsSealed = found.length < LEASES_PER_ROUND;
    }
  }

  async #takeStep(lease: WebSubLease): Promise<void> {
    const { callbackId, state } = lease;
    if (state === 'leaving' && lease.failures > 0) {
      // The hub did not confirm in time; at the end of its lease it stops anyway.
      await this.leases.remove(callbackId);
      return;
    }
    const accepted = await this.#ask(lease, state === 'leaving' ? 'unsubscribe' : 'subscribe');
    if (accepted) {
      await this.leases.noteAsked(callbackId, VERIFY_WITHIN_SECONDS);
      return;
    }
    const pause = FIRST_PAUSE_SECONDS * 2 ** Math.min(lease.failures, 10);
    await this.leases.noteRefused(callbackId, Math.min(pause, LONGEST_PAUSE_SECONDS));
  }

  async #ask(lease: WebSubLease, mode: 'subscribe' | 'unsubscribe'): Promise<boolean> {
    const form = new URLSearchParams({
      'hub.callback': `${this.#callbackRoot}/websub/${lease.callbackId}`,
      'hub.mode': mode,
      'hub.topic': lease.topicUrl,
      ...(mode === 'subscribe' && {
        'hub.secret': this.#secretOf(lease) ?? (await this.#renewSecret(lease)),
        'hub.lease_seconds': String(LEASE_WANTED_SECONDS),
      }),
    });
    try {
      const { status } = await this.outgoing.request({
        url: lease.hubUrl,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      });
      return status >= 200 && status < 300;
    } catch (error) {
      if (!(error instanceof OutgoingHttpError)) {
        throw error;
      }
      return false;
    }
  }
}

const newSecret = () => randomBytes(32).toString('hex');

async function isSignedWith(
  secret: string,
  body: AsyncIterable<Uint8Array>,
  signature: string | undefined,
): Promise<boolean> {
  const [algorithm = '', given = ''] = (signature ?? '').toLowerCase().split('=');
  if (!SIGNATURE_ALGORITHMS.has(algorithm)) {
    return false;
  }
  const hmac = createHmac(algorithm, secret);
  for await (const piece of body) {
    hmac.update(piece);
  }
  return isSameSecret(given, hmac.digest('hex'));
}

/** The base URL at which hubs can reach us; null when they cannot, or must not. */
export function callbackRoot({
  websub,
  baseUrl,
}: Pick<Config, 'baseUrl'> & Pick<SourcesSettings, 'websub'>): string | null {
  if (websub === 'off' || baseUrl === undefined) {
    return null;
  }
  return websub === 'on' || isPublicHttps(new URL(baseUrl)) ? baseUrl : null;
}
