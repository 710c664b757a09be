import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ExAppLogLineEntity, type LogLevel } from './ex-app-log-line.entity.js';
import { addLine, isNewLine, type NewLogLine } from './log-lines.sql.js';

export interface LogLine extends NewLogLine {
  readonly id: number;
  /** Unix milliseconds. */
  readonly loggedMillis: number;
}

/** The latest log lines of each app. */
@Injectable()
export class LogLinesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Does nothing for an app that is not registered.
   *
   * @param most lines of an app that are kept, this one included
   */
  async add(line: NewLogLine, most: number): Promise<void> {
    await addLine(this.database, line, most);
  }

  /**
   * As `add`, unless the host recently logged a line with this prefix.
   *
   * @returns whether it was added
   */
  async addUnlessRepeated(
    line: NewLogLine,
    prefix: string,
    withinMinutes: number,
    most: number,
  ): Promise<boolean> {
    const isNew = await isNewLine(this.database, line.appId, prefix, withinMinutes);
    if (isNew) {
      await addLine(this.database, line, most);
    }
    return isNew;
  }

  /** The host's lines of this level or above, oldest first. */
  async ofHostAfter(appId: string, id: number, level: LogLevel): Promise<LogLine[]> {
    const lines = await this.database.entities((em) =>
      em.find(
        ExAppLogLineEntity,
        { appId, source: 'host', id: { $gt: id }, level: { $gte: level } },
        { orderBy: { id: 'asc' }, disableIdentityMap: true },
      ),
    );
    return lines.map(toLogLine);
  }

  /** Newest first. */
  async recent(appId: string, limit: number): Promise<LogLine[]> {
    const lines = await this.database.entities((em) =>
      em.find(
        ExAppLogLineEntity,
        { appId },
        { orderBy: { id: 'desc' }, limit, disableIdentityMap: true },
      ),
    );
    return lines.map(toLogLine);
  }
}

function toLogLine({ id, appId, level, source, message, loggedAt }: ExAppLogLineEntity): LogLine {
  return { id, appId, level, source, message, loggedMillis: loggedAt.getTime() };
}
