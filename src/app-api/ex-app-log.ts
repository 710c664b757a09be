import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  LogLinesRepository,
  type LogLevel,
  type LogLine,
  type NewLogLine,
} from './store/log-lines.repository.js';

const LONGEST_MESSAGE = 10_000;

/** For the latest lines alone; the host's log has all of a message. */
const LONGEST_KEPT_MESSAGE = 2000;

/** Lines of one app that are kept for its page. */
const MOST_KEPT = 500;

const INFO = 1;
const WARNING = 2;

/**
 * What external apps write into the host's log, and what the host has to say about them. The latest
 * lines of each app are kept for administrators.
 */
@Injectable()
export class ExAppLog implements BeforeApplicationShutdown {
  readonly #ofApps = new Logger('ExApp');
  readonly #ofHost = new Logger('ExApps');

  readonly #beingKept = new Set<Promise<void>>();

  /** By level: 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
  readonly #writers = [
    (line: string) => this.#ofApps.debug(line),
    (line: string) => this.#ofApps.log(line),
    (line: string) => this.#ofApps.warn(line),
    (line: string) => this.#ofApps.error(line),
    (line: string) => this.#ofApps.fatal(line),
  ];

  constructor(private readonly lines: LogLinesRepository) {}

  /** @returns false when there is no such level */
  async write(appId: string, level: number, message: string): Promise<boolean> {
    const writer = this.#writers[level];
    if (writer === undefined) {
      return false;
    }
    writer(`[${appId}] ${message.slice(0, LONGEST_MESSAGE)}`);
    await this.#keep({ appId, level: level as LogLevel, source: 'app', message });
    return true;
  }

  /** The host's own words about an app, where all is well. */
  note(appId: string, message: string): void {
    this.#ofHost.log(`${appId}: ${message}`);
    this.#keepSoon({ appId, level: INFO, source: 'host', message });
  }

  /** The host's own words about an app that does not do what it should. */
  warn(appId: string, message: string): void {
    this.#ofHost.warn(`${appId}: ${message}`);
    this.remember(appId, message);
  }

  /** The same, where somebody else has told the host's log. */
  remember(appId: string, message: string): void {
    this.#keepSoon({ appId, level: WARNING, source: 'host', message });
  }

  /** A command of the command line is over as soon as it has done its work. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.#beingKept);
  }

  /** Newest first. */
  async recent(appId: string, limit: number): Promise<LogLine[]> {
    return this.lines.recent(appId, limit);
  }

  /** Nobody waits for it, and the host's log has the line already. */
  #keepSoon(line: NewLogLine): void {
    const kept = this.#keep(line).catch((error: unknown) =>
      this.#ofHost.debug(`a line about ${line.appId} was not kept: ${String(error)}`),
    );
    this.#beingKept.add(kept);
    void kept.finally(() => this.#beingKept.delete(kept));
  }

  async #keep(line: NewLogLine): Promise<void> {
    // The database has no text with NUL in it, nor halves of characters.
    const message = line.message.slice(0, LONGEST_KEPT_MESSAGE).replaceAll('\0', '').toWellFormed();
    await this.lines.add({ ...line, message }, MOST_KEPT);
  }
}
