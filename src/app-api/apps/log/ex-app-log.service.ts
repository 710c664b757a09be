import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { EX_APPS_LOG } from '../../../common/logging/contexts.js';
import {
  type AdministrationKind,
  AdministrationLog,
} from '../../../common/ports/administration-log.js';
import { printable } from '../../../common/texts/printable.js';
import {
  type LogLevel,
  type LogLine,
  LogLinesRepository,
  type NewLogLine,
} from './log-lines.repository.js';

/** Prefix of the line about a failed lifecycle step. */
export const FAILED_LINE = 'failed: ';

/** Prefix of lines about refused requests of an app. */
export const REFUSED_LINE = 'refused a call of the app: ';

const LONGEST_MESSAGE = 10_000;

/** Characters of a stored line; the host's log has the whole message. */
const LONGEST_KEPT_MESSAGE = 2000;

/** Pending writes to the database beyond which repeatable lines are skipped. */
const MOST_ON_THEIR_WAY = 100;

/** The interval in which a repeatable warning is logged once. */
const REPEATED_AFTER_MINUTES = 10;

/** Stored lines per app. */
const MOST_KEPT = 500;

const INFO = 1;
const WARNING = 2;

/**
 * Log lines of external apps, and of the host about them. The latest lines of each app are stored for
 * administrators.
 */
@Injectable()
export class ExAppLog implements BeforeApplicationShutdown {
  readonly #ofApps = new Logger('ExApp');
  readonly #ofHost = new Logger(EX_APPS_LOG);

  readonly #beingKept = new Set<Promise<void>>();

  /** Settles after the latest line of the host. */
  #latest: Promise<void> = Promise.resolve();

  /** Index: level; 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
  readonly #writers = [
    (line: string) => this.#ofApps.debug(line),
    (line: string) => this.#ofApps.log(line),
    (line: string) => this.#ofApps.warn(line),
    (line: string) => this.#ofApps.error(line),
    (line: string) => this.#ofApps.fatal(line),
  ];

  constructor(private readonly lines: LogLinesRepository) {}

  /** @returns false for an unknown level */
  async write(appId: string, level: number, message: string): Promise<boolean> {
    const writer = this.#writers[level];
    if (writer === undefined) {
      return false;
    }
    // A line break is indented, so that no line looks like another entry.
    const shown = printable(message.slice(0, LONGEST_MESSAGE)).replaceAll('\n', '\n    ');
    writer(`[${appId}] ${shown}`);
    await this.#keep({ appId, level: level as LogLevel, source: 'app', message });
    return true;
  }

  /** An informational line of the host about an app. */
  note(appId: string, message: string): void {
    this.#ofHost.log(`${appId}: ${message}`);
    this.#keepSoon({ appId, level: INFO, source: 'host', message });
  }

  /** A warning of the host about an app. */
  warn(appId: string, message: string): void {
    this.#ofHost.warn(`${appId}: ${message}`);
    this.remember(appId, message);
  }

  /** Like `warn`, for a line that the host's log has already. */
  remember(appId: string, message: string): void {
    this.#keepSoon({ appId, level: WARNING, source: 'host', message });
  }

  /**
   * As `warn`, for warnings that any client can cause any number of times: logged once in ten minutes,
   * without waiting, and not for unknown apps.
   *
   * @param cause prefix of the message; lines with the same one are repetitions
   */
  warnOnce(appId: string, cause: string, details = ''): void {
    if (this.#beingKept.size >= MOST_ON_THEIR_WAY) {
      return;
    }
    const line = lineOf({ appId, level: WARNING, source: 'host', message: cause + details });
    this.#keepNext(appId, () => this.#keepUnlessRepeated(line, cause));
  }

  /** Resolves when all lines so far are stored. */
  async written(): Promise<void> {
    await Promise.all(this.#beingKept);
  }

  /** Commands exit as soon as their work is done. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.written();
  }

  /** Newest first. */
  async recent(appId: string, limit: number): Promise<LogLine[]> {
    return this.lines.recent(appId, limit);
  }

  /** The host's warnings after the line of that id, oldest first. */
  async warningsAfter(appId: string, id: number): Promise<LogLine[]> {
    return this.lines.ofHostAfter(appId, id, WARNING);
  }

  /** The id of the latest line; 0 for none. */
  async latestId(appId: string): Promise<number> {
    return (await this.lines.recent(appId, 1))[0]?.id ?? 0;
  }

  #keepSoon(line: NewLogLine): void {
    this.#keepNext(line.appId, () => this.#keep(line));
  }

  /**
   * Does not wait, because the host's log has the line already. After the line before it, so that lines
   * are in order, and a repetition sees the first of its kind.
   */
  #keepNext(appId: string, keep: () => Promise<void>): void {
    const kept = this.#latest
      .then(keep)
      .catch((error: unknown) =>
        this.#ofHost.debug(`a line about ${appId} was not stored: ${String(error)}`),
      );
    this.#latest = kept;
    this.#beingKept.add(kept);
    void kept.finally(() => this.#beingKept.delete(kept));
  }

  async #keepUnlessRepeated(line: NewLogLine, cause: string): Promise<void> {
    if (await this.lines.addUnlessRepeated(line, cause, REPEATED_AFTER_MINUTES, MOST_KEPT)) {
      this.#ofHost.warn(`${line.appId}: ${line.message}`);
    }
  }

  async #keep(line: NewLogLine): Promise<void> {
    await this.lines.add(lineOf(line), MOST_KEPT);
  }
}

/** PostgreSQL stores neither NUL nor lone surrogates. */
function lineOf(line: NewLogLine): NewLogLine {
  const message = line.message.slice(0, LONGEST_KEPT_MESSAGE).replaceAll('\0', '').toWellFormed();
  return { ...line, message };
}

type AppChange = Extract<AdministrationKind, `app_${string}`>;

/** Records lifecycle changes: a line in the app's log, and an entry of the audit log. */
@Injectable()
export class AppHistory {
  constructor(
    private readonly log: ExAppLog,
    private readonly administration: AdministrationLog,
  ) {}

  /** @param details for instance "is disabled" */
  async add(appId: string, kind: AppChange, details: string): Promise<void> {
    this.log.note(appId, details);
    await this.administration.record({ kind, subject: { kind: 'app', id: appId }, details });
  }

  /** The app's log is removed with the app. */
  async removed(appId: string, dataKept: boolean): Promise<void> {
    const details = dataKept ? 'its data is kept' : undefined;
    await this.administration.record({
      kind: 'app_removed',
      subject: { kind: 'app', id: appId },
      details,
    });
  }

  /** A line in the app's log only. */
  warn(appId: string, line: string): void {
    this.log.warn(appId, line);
  }
}
