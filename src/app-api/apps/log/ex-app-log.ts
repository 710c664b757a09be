import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { LogLevel } from './ex-app-log-line.entity.js';
import { LogLinesRepository, type LogLine } from './log-lines.repository.js';
import type { NewLogLine } from './log-lines.sql.js';

/** Context of the host's words about apps; commands say them in their own way. */
export const EX_APPS_LOG = 'ExApps';

/** Begins the one line about a lifecycle that failed. */
export const FAILED_LINE = 'failed: ';

/** Begins lines about calls of an app that the host refused. */
export const REFUSED_LINE = 'refused a call of the app: ';

const LONGEST_MESSAGE = 10_000;

/** For the latest lines alone; the host's log has all of a message. */
const LONGEST_KEPT_MESSAGE = 2000;

/** Beyond this many lines on their way to the database, those that may repeat are left out. */
const MOST_ON_THEIR_WAY = 100;

/** A warning that many requests may cause is noted once in this time. */
const REPEATED_AFTER_MINUTES = 10;

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
  readonly #ofHost = new Logger(EX_APPS_LOG);

  readonly #beingKept = new Set<Promise<void>>();

  /** The latest of the warnings that many requests may cause. */
  #repeatable: Promise<void> = Promise.resolve();

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

  /**
   * The same for what anybody may cause any number of times. Waits for nothing, and does nothing for
   * an app that is not registered.
   *
   * @param cause what a line is the same by: the beginning of the message
   */
  warnOnce(appId: string, cause: string, details = ''): void {
    if (this.#beingKept.size >= MOST_ON_THEIR_WAY) {
      return;
    }
    const line = lineOf({ appId, level: WARNING, source: 'host', message: cause + details });
    // One after the other, so that each sees the line before it.
    this.#repeatable = this.#repeatable.then(() => this.#keepUnlessRepeated(line, cause));
    this.#await(appId, this.#repeatable);
  }

  /** Resolves when all lines until now are kept. */
  async written(): Promise<void> {
    await Promise.all(this.#beingKept);
  }

  /** A command of the command line is over as soon as it has done its work. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.written();
  }

  /** Newest first. */
  async recent(appId: string, limit: number): Promise<LogLine[]> {
    return this.lines.recent(appId, limit);
  }

  /** The host's own warnings, oldest first, after the line of that id. */
  async warningsAfter(appId: string, id: number): Promise<LogLine[]> {
    return this.lines.ofHostAfter(appId, id, WARNING);
  }

  /** The id of the latest line; 0 for none. */
  async latestId(appId: string): Promise<number> {
    return (await this.lines.recent(appId, 1))[0]?.id ?? 0;
  }

  /** Nobody waits for it, and the host's log has the line already. */
  #keepSoon(line: NewLogLine): void {
    this.#await(line.appId, this.#keep(line));
  }

  #await(appId: string, work: Promise<unknown>): void {
    const kept = work.then(
      () => undefined,
      (error: unknown) =>
        this.#ofHost.debug(`a line about ${appId} was not kept: ${String(error)}`),
    );
    this.#beingKept.add(kept);
    void kept.finally(() => this.#beingKept.delete(kept));
  }

  async #keepUnlessRepeated(line: NewLogLine, cause: string): Promise<void> {
    try {
      if (await this.lines.addUnlessRepeated(line, cause, REPEATED_AFTER_MINUTES, MOST_KEPT)) {
        this.#ofHost.warn(`${line.appId}: ${line.message}`);
      }
    } catch (error) {
      this.#ofHost.debug(`a line about ${line.appId} was not kept: ${String(error)}`);
    }
  }

  async #keep(line: NewLogLine): Promise<void> {
    await this.lines.add(lineOf(line), MOST_KEPT);
  }
}

/** The database has no text with NUL in it, nor halves of characters. */
function lineOf(line: NewLogLine): NewLogLine {
  const message = line.message.slice(0, LONGEST_KEPT_MESSAGE).replaceAll('\0', '').toWellFormed();
  return { ...line, message };
}
