import { Injectable, Logger } from '@nestjs/common';
import {
  ConstraintViolationError,
  InappropriateAuthError,
  InsufficientAccessError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
  UnwillingToPerformError,
} from 'ldapts';
import { randomUUID } from 'node:crypto';
import { Clock } from '../../../common/clock.js';
import { SilentServers } from '../../../common/http/silent-servers.js';
import { DirectoryUnavailable } from '../../platform.errors.js';
import { withDirectory, type DirectoryConnection } from './directory-connection.js';
import {
  BINARY_ATTRIBUTES,
  directoryUser,
  fillFilter,
  filterForAll,
  ID_ATTRIBUTES,
  textOf,
  type DirectoryUser,
} from './directory-entry.js';
import { LdapSettings } from './ldap.settings.js';

/** A user with a verified password. */
export interface ProvenDirectoryUser extends DirectoryUser {
  /** Names of the user's groups; undefined when groups are not followed. */
  readonly groups: readonly string[] | undefined;
}

const LOGIN_MS = 15_000;
const LIST_MS = 300_000;
const PAGE_SIZE = 500;
const MOST_GROUPS = 1000;
const MEMBERS = '(|(member={dn})(uniqueMember={dn})(memberUid={login}))';
const LOG_GAP_SECONDS = 60;

/** Answers to a bind that say that the user may not log in. */
const REFUSALS = [
  ConstraintViolationError,
  InappropriateAuthError,
  InsufficientAccessError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
  UnwillingToPerformError,
];

/** The configured directory; wraps `ldapts`. */
@Injectable()
export class LdapDirectory {
  readonly #logger = new Logger('Directory');
  #loggedSeconds = 0;

  constructor(
    private readonly settings: LdapSettings,
    private readonly clock: Clock,
    private readonly servers: SilentServers,
  ) {}

  /**
   * Finds the user, and verifies the password by a bind.
   *
   * @returns null for an unknown user, a wrong password, or one that the directory refuses
   */
  async logIn(login: string, password: string): Promise<ProvenDirectoryUser | null> {
    // Directories take a bind without a password for an anonymous one, which succeeds.
    if (login === '' || password === '' || (login + password).includes('\0')) {
      return null;
    }
    const { settings } = this;
    return this.#reach(LOGIN_MS, async (connection) => {
      const user = await this.#find(connection, settings, login);
      const dn = user?.dn ?? `${settings.loginAttribute}=${randomUUID()},${settings.userBase}`;
      // Done for an unknown user as well, so that the time does not reveal whether there is one.
      const isRight = await isPasswordOf(connection, dn, password);
      if (user === null || !isRight) {
        return null;
      }
      return { ...user, groups: await groupsOf(connection, settings, user) };
    });
  }

  async allEntryIds(): Promise<ReadonlySet<string>> {
    const { settings } = this;
    return this.#reach(LIST_MS, async (connection) => {
      await bindService(connection, settings);
      const ids = new Set<string>();
      const pages = connection.searchPaginated(settings.userBase, {
        scope: 'sub',
        filter: filterForAll(settings.filterOfUsers),
        attributes: [...ID_ATTRIBUTES],
        explicitBufferAttributes: BINARY_ATTRIBUTES,
        paged: { pageSize: PAGE_SIZE },
      });
      for await (const { searchEntries } of pages) {
        searchEntries.forEach((entry) => ids.add(directoryUser(entry, settings).entryId));
      }
      return ids;
    });
  }

  async #find(
    connection: DirectoryConnection,
    settings: LdapSettings,
    login: string,
  ): Promise<DirectoryUser | null> {
    await bindService(connection, settings);
    const { loginAttribute, nameAttribute, mailAttribute } = settings;
    const { searchEntries } = await connection.search(settings.userBase, {
      scope: 'sub',
      filter: fillFilter(settings.filterOfUsers, { login }),
      sizeLimit: 2,
      attributes: [...ID_ATTRIBUTES, loginAttribute, nameAttribute, mailAttribute],
      explicitBufferAttributes: BINARY_ATTRIBUTES,
    });
    const [entry, another] = searchEntries;
    if (another !== undefined) {
      this.#logger.warn('several entries match a login, so nobody is logged in: see the filter');
      return null;
    }
    return entry === undefined ? null : directoryUser(entry, settings);
  }

  async #reach<Result>(
    longestMs: number,
    work: (connection: DirectoryConnection) => Promise<Result>,
  ): Promise<Result> {
    const { url } = this.settings;
    try {
      return await this.servers.ask(new URL(url).host, () =>
        withDirectory(this.settings, longestMs, work),
      );
    } catch (error) {
      this.#log(url, error);
      throw new DirectoryUnavailable({ cause: error });
    }
  }

  /** Logs at most once a minute, since every login fails then. */
  #log(url: string, error: unknown): void {
    const nowSeconds = this.clock.nowSeconds();
    if (nowSeconds >= this.#loggedSeconds + LOG_GAP_SECONDS) {
      this.#loggedSeconds = nowSeconds;
      this.#logger.error(
        `The directory ${url} cannot be used, and its users cannot log in: ${reasonOf(error)}`,
      );
    }
  }
}

/** The message of a directory or a connection, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  const own = error.message.replace(/\s+/g, ' ').trim();
  return own === '' ? error.name : own;
}

async function bindService(
  connection: DirectoryConnection,
  { bindDn, bindPassword }: LdapSettings,
): Promise<void> {
  if (bindDn !== undefined) {
    await connection.bind(bindDn, bindPassword);
  }
}

async function isPasswordOf(
  connection: DirectoryConnection,
  dn: string,
  password: string,
): Promise<boolean> {
  try {
    await connection.bind(dn, password);
    return true;
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal)) {
      return false;
    }
    throw error;
  }
}

/** Searches as the service: users may not be allowed to. */
async function groupsOf(
  connection: DirectoryConnection,
  settings: LdapSettings,
  { dn, login }: DirectoryUser,
): Promise<string[] | undefined> {
  if (settings.groupBase === undefined) {
    return undefined;
  }
  await bindService(connection, settings);
  const { searchEntries } = await connection.search(settings.groupBase, {
    scope: 'sub',
    filter: fillFilter(settings.groupFilter ?? MEMBERS, { dn, login: login ?? '' }),
    sizeLimit: MOST_GROUPS,
    attributes: ['cn'],
  });
  return searchEntries.flatMap((entry) => textOf(entry, 'cn') ?? []);
}
