import type { Clock } from '../../common/clock.js';
import type { OutgoingHttp } from '../../common/http/outgoing-http.js';
import { ProviderKeys, type ProviderKey } from './logout-token.js';

const MIB = 1024 * 1024;
const TIMEOUT_SECONDS = 15;

/** Keys that are asked for again after this, since the provider may have taken one back. */
const KEEP_SECONDS = 3600;

/** Anybody can make up tokens with new key ids; the provider is not to suffer from it. */
const GAP_SECONDS = 10;

/** The keys with which a provider signs, for what its library does not read. */
export class SigningKeys {
  #known: readonly ProviderKey[] = [];
  #knownSeconds = -Infinity;
  #askedSeconds = -Infinity;
  #asking: Promise<void> = Promise.resolve();

  constructor(
    private readonly http: OutgoingHttp,
    private readonly clock: Clock,
  ) {}

  /**
   * @param address of the set; undefined when the provider names none
   * @param keyId one that is not known yet has the provider asked again
   * @throws Error when the provider cannot be asked
   */
  async of(
    address: string | undefined,
    keyId: string | undefined,
  ): Promise<readonly ProviderKey[]> {
    if (address === undefined) {
      throw new Error('the provider does not say where its keys are');
    }
    const nowSeconds = this.clock.nowSeconds();
    const isOld = nowSeconds >= this.#knownSeconds + KEEP_SECONDS;
    const isMissing = keyId !== undefined && this.#known.every(({ kid }) => kid !== keyId);
    if ((isOld || isMissing) && nowSeconds >= this.#askedSeconds + GAP_SECONDS) {
      this.#askedSeconds = nowSeconds;
      this.#asking = this.#ask(address);
    }
    await this.#asking;
    return this.#known;
  }

  async #ask(address: string): Promise<void> {
    const { status, body } = await this.http.request({
      url: address,
      headers: { accept: 'application/json' },
      timeoutSeconds: TIMEOUT_SECONDS,
      maxWireBytes: MIB,
      maxDecodedBytes: MIB,
      maxRedirects: 0,
      addressPolicy: 'operator-configured',
    });
    if (status !== 200) {
      throw new Error(`the provider answered the request for its keys with status ${status}`);
    }
    this.#known = ProviderKeys.parse(JSON.parse(Buffer.from(body).toString('utf8'))).keys;
    this.#knownSeconds = this.clock.nowSeconds();
  }
}
