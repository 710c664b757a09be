import { Injectable } from '@nestjs/common';

/** What a subject above finds out about an app, for `app_api:doctor`. */
interface FindingsOf<Report> {
  /** Its name in JSON. */
  readonly name: string;
  /** @returns null if there is nothing to say about this app */
  examine(appId: string): Promise<Report | null>;
  /** Rows of the table: label and finding. */
  describe(report: Report): readonly string[][];
}

/** Reports by name, and the same as rows of a table. */
export interface MoreFindings {
  readonly reports: Readonly<Record<string, unknown>>;
  readonly rows: readonly string[][];
}

/** Subjects above add what they know of an app. */
@Injectable()
export class AppFindings {
  readonly #all: ((appId: string) => Promise<MoreFindings>)[] = [];

  add<Report>({ name, examine, describe }: FindingsOf<Report>): void {
    this.#all.push(async (appId) => {
      const report = await examine(appId);
      return { reports: { [name]: report }, rows: report === null ? [] : describe(report) };
    });
  }

  async examine(appId: string): Promise<MoreFindings> {
    const all = await Promise.all(this.#all.map((find) => find(appId)));
    return {
      reports: Object.assign({}, ...all.map(({ reports }) => reports)) as MoreFindings['reports'],
      rows: all.flatMap(({ rows }) => rows),
    };
  }
}
