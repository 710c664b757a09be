import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../../common/config/config.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';
import { ListeningHooks } from '../../common/ports/hooks.js';
import { DaemonsRepository } from '../apps/daemons/daemons.repository.js';
import { ServiceAddressesRepository } from './service-addresses.repository.js';

const TIMEOUT_SECONDS = 3;

/** The address of the service, as seen from this process. */
export interface ServiceLocation {
  /** The address that apps are given. */
  readonly address: string;
  /** The first address at which the service answers this process; null if there is none. */
  readonly answersAt: string | null;
  /** All addresses that were tried. */
  readonly tried: readonly string[];
}

/**
 * Finds the address of the service. Commands run in other processes, whose environment may have another
 * port, so the service stores its address in the database.
 */
@Injectable()
export class ServiceProbe implements BeforeApplicationShutdown {
  #announced: string | undefined;

  constructor(
    private readonly outgoing: OutgoingHttp,
    private readonly address: PublicAddress,
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: Config,
    private readonly addresses: ServiceAddressesRepository,
    private readonly daemons: DaemonsRepository,
    listening: ListeningHooks,
  ) {
    listening.add(() => this.announce());
  }

  /** Called once the service listens. */
  async announce(): Promise<void> {
    this.#announced = this.address.listeningAt;
    await this.addresses.announce(this.#announced);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.#announced !== undefined) {
      // Stop even if the database is unavailable.
      await this.addresses.withdraw(this.#announced).catch(() => {});
    }
  }

  /** @param daemonName daemon of the app; may override the address */
  async locate(daemonName: string | null): Promise<ServiceLocation> {
    const configured = [await this.#addressOfDaemon(daemonName), this.config.baseUrl].filter(
      (address) => address !== undefined,
    );
    // A command does not listen; its own address is a guess from its environment.
    const local = this.adapterHost.listening
      ? [this.address.listeningAt]
      : [...(await this.addresses.list()), this.address.listeningAt];
    const tried = [...new Set([...configured, ...local])];
    const answers = await Promise.all(tried.map((address) => this.#answersAt(address)));
    const answersAt = tried[answers.indexOf(true)] ?? null;
    return { address: configured[0] ?? answersAt ?? this.address.root, answersAt, tried };
  }

  async #addressOfDaemon(name: string | null): Promise<string | undefined> {
    const daemon = name === null ? null : await this.daemons.find(name);
    const address = daemon?.deployConfig['nextcloud_url'];
    return typeof address === 'string' && URL.canParse(address)
      ? address.replace(/\/(?:index\.php\/?)?$/, '')
      : undefined;
  }

  async #answersAt(root: string): Promise<boolean> {
    try {
      const { status } = await this.outgoing.request({
        url: `${root}/health/ready`,
        timeoutSeconds: TIMEOUT_SECONDS,
        addressPolicy: 'operator-configured',
        direct: true,
      });
      return status === 200;
    } catch (error) {
      if (error instanceof OutgoingHttpError) {
        return false;
      }
      throw error;
    }
  }
}
