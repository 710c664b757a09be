import { Injectable } from '@nestjs/common';
import {
  AdministrationLog,
  type AdministrationKind,
} from '../../../common/ports/administration-log.js';
import { InvalidRegistration } from '../../app-api.errors.js';
import { ExAppsRepository } from '../ex-apps.repository.js';
import type { ExAppManifest } from '../manifest/ex-app-manifest.js';
import { type Daemon, DaemonInUse, DaemonNotFound, MANUAL_INSTALL } from './daemon.js';
import { DaemonsRepository } from './daemons.repository.js';

/** The range from which apps get a free port, as in the reference. */
const FIRST_PORT = 23_000;
const LAST_PORT = 23_999;

/** Hosts that external apps run on. They complete the addresses of apps that have none. */
@Injectable()
export class DaemonsService {
  constructor(
    private readonly daemons: DaemonsRepository,
    private readonly apps: ExAppsRepository,
    private readonly log: AdministrationLog,
  ) {}

  list(): Promise<Daemon[]> {
    return this.daemons.list();
  }

  /** @throws DaemonNotFound */
  async find(name: string): Promise<Daemon> {
    return DaemonNotFound.unless(await this.daemons.find(name), name);
  }

  /**
   * @returns false if the name is taken
   * @throws InvalidRegistration if the host is not usable as an address, or the daemon would have to
   *   run containers
   */
  async register(daemon: Daemon): Promise<boolean> {
    check(daemon);
    const created = await this.daemons.create(daemon);
    if (created) {
      await this.#record('daemon_created', daemon.name, `at ${hostOf(daemon)}`);
    }
    return created;
  }

  /** @throws DaemonNotFound, InvalidRegistration */
  async change(daemon: Daemon): Promise<void> {
    check(daemon);
    DaemonNotFound.unless(await this.daemons.change(daemon), daemon.name);
    await this.#record('daemon_changed', daemon.name, `at ${hostOf(daemon)}`);
  }

  /** @throws DaemonNotFound, or DaemonInUse if apps run there */
  async unregister(name: string): Promise<void> {
    const users = await this.appsOf(name);
    if (users.length > 0) {
      throw new DaemonInUse(name, users);
    }
    DaemonNotFound.unless(await this.daemons.remove(name), name);
    await this.#record('daemon_removed', name);
  }

  async #record(kind: AdministrationKind, name: string, details?: string): Promise<void> {
    await this.log.record({ kind, subject: { kind: 'daemon', id: name }, details });
  }

  async appsOf(name: string): Promise<string[]> {
    const apps = await this.apps.list();
    return apps.filter(({ daemonName }) => daemonName === name).map(({ appId }) => appId);
  }

  /**
   * The address of an app: its own, or the daemon's host with the app's port or a free one.
   *
   * @throws DaemonNotFound, or InvalidRegistration if no port is free
   */
  async placeOf(
    manifest: Pick<ExAppManifest, 'baseUrl' | 'daemonName' | 'port'>,
  ): Promise<{ readonly baseUrl: string; readonly daemonName: string | null }> {
    if (manifest.baseUrl !== undefined) {
      const named = manifest.daemonName === undefined ? null : await this.find(manifest.daemonName);
      return { baseUrl: manifest.baseUrl, daemonName: named?.name ?? null };
    }
    const daemon =
      manifest.daemonName === undefined
        ? await this.daemons.findDefault()
        : await this.find(manifest.daemonName);
    if (daemon === null) {
      throw new DaemonNotFound(undefined);
    }
    const port = manifest.port ?? (await this.#freePort());
    return { baseUrl: `${daemon.protocol}://${hostOf(daemon)}:${port}`, daemonName: daemon.name };
  }

  async #freePort(): Promise<number> {
    const apps = await this.apps.list();
    const taken = new Set(apps.map(({ baseUrl }) => Number(URL.parse(baseUrl)?.port)));
    for (let port = FIRST_PORT; port <= LAST_PORT; port += 1) {
      if (!taken.has(port)) {
        return port;
      }
    }
    throw new InvalidRegistration(
      `All ports from ${FIRST_PORT} to ${LAST_PORT} are taken; name one as "port".`,
    );
  }
}

function check(daemon: Daemon): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(daemon.name)) {
    throw new InvalidRegistration(
      `The name of a daemon has 1 to 64 letters, digits, "_", "." or "-"; "${daemon.name}" cannot be one.`,
    );
  }
  if (daemon.acceptsDeployId !== MANUAL_INSTALL) {
    throw new InvalidRegistration(
      `Gatefold runs no containers: start the app's process yourself, and register a daemon of the kind "${MANUAL_INSTALL}" instead of "${daemon.acceptsDeployId}".`,
    );
  }
  if (daemon.protocol !== 'http' && daemon.protocol !== 'https') {
    throw new InvalidRegistration(
      `The protocol of a daemon is http or https, but is "${daemon.protocol}".`,
    );
  }
  const url = URL.parse(`${daemon.protocol}://${hostOf(daemon)}:1`);
  if (url === null || url.pathname !== '/' || url.username !== '' || url.search !== '') {
    throw new InvalidRegistration(
      `The host of a daemon is a name or an address without a port, but is "${daemon.host}".`,
    );
  }
}

/** IPv6 addresses need brackets. */
function hostOf({ host }: Pick<Daemon, 'host'>): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
