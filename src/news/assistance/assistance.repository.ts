import { sql } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../database/database.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import { ArticleAssistanceEntity, type AssistanceResult } from './article-assistance.entity.js';
import {
  beginRequest,
  findArticle,
  findRequest,
  findTextOfItem,
  findUsable,
  listMissing,
  forgetFinished,
  type ArticleText,
  type AssistanceKey,
  type AssistanceRow,
} from './assistance.sql.js';

export type { AssistanceKind, AssistanceResult } from './article-assistance.entity.js';
export type { ArticleText, AssistanceKey } from './assistance.sql.js';
export type Assistance = AssistanceRow;

/** A running request, and the user for whom it runs. */
export type AssistanceTask = AssistanceKey & { readonly id: number; readonly userId: string };

type Outcome =
  | { readonly state: 'done'; readonly result: AssistanceResult; readonly inputHash: Buffer }
  | { readonly state: 'failed'; readonly error: string };

/** Requests to external apps about articles, and their results. */
@Injectable()
export class AssistanceRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  async articleOf(userId: string, itemId: number, tx?: SqlRunner): Promise<ArticleText | null> {
    const readerId = await this.ids.of(userId, tx);
    return readerId === null ? null : findTextOfItem(tx ?? this.database, readerId, itemId);
  }

  async article(
    of: Pick<AssistanceKey, 'articleId' | 'sourceId'>,
    fullText: boolean,
  ): Promise<ArticleText | null> {
    return findArticle(this.database, of, fullText);
  }

  /** A request about the article, whoever made it. */
  async find(articleId: number, id: number): Promise<Assistance | null> {
    return findRequest(this.database, articleId, id);
  }

  /** A request of this key that need not be repeated: it is running, or was made from the same input. */
  async usable(key: AssistanceKey, inputHash: Buffer): Promise<Assistance | null> {
    return findUsable(this.database, key, inputHash);
  }

  /** Those of the wanted requests that nobody has made from this input, in their order. */
  async missing<Wanted extends { readonly key: AssistanceKey; readonly hash: Buffer }>(
    tx: SqlRunner,
    wanted: readonly Wanted[],
  ): Promise<Wanted[]> {
    const places = wanted.length === 0 ? [] : await listMissing(tx, wanted);
    return places.flatMap((place) => wanted[place] ?? []);
  }

  /**
   * @param automatic not asked for by the user
   * @returns the id of the new request, or null when a usable one exists
   */
  async begin(
    tx: SqlRunner,
    key: AssistanceKey,
    inputHash: Buffer,
    userId: string,
    automatic = false,
  ): Promise<number | null> {
    return beginRequest(tx, key, inputHash, userId, automatic);
  }

  /** How many requests that a user made are running. */
  async running(userId: string): Promise<number> {
    return this.database.entities((em) =>
      em.count(ArticleAssistanceEntity, { userId, automatic: false }),
    );
  }

  /** Removes running requests, as if they had not been made. */
  async forget(ids: readonly number[]): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(ArticleAssistanceEntity, { id: { $in: [...ids] }, state: 'running' }),
    );
  }

  /** @returns null when it is finished, or was removed with its article or user */
  async task(id: number): Promise<AssistanceTask | null> {
    const task = await this.database.entities((em) =>
      em.findOne(
        ArticleAssistanceEntity,
        { id, state: 'running' },
        { fields: ['articleId', 'sourceId', 'kind', 'languages', 'fullText', 'userId'] },
      ),
    );
    if (task === null || task.userId === null) {
      return null;
    }
    const { articleId, sourceId, kind, languages, fullText, userId } = task;
    return { id, articleId, sourceId, kind, languages, fullText, userId };
  }

  /** @param progress per cent */
  async recordProgress(id: number, progress: number): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(ArticleAssistanceEntity, { id, state: 'running' }, { progress }),
    );
  }

  /**
   * Ends a running request that the user made.
   *
   * @param error what others who wait for it are told
   * @returns false if there is none
   */
  async cancel(tx: Transaction, userId: string, id: number, error: string): Promise<boolean> {
    const changed = await tx.em.nativeUpdate(
      ArticleAssistanceEntity,
      { id, userId, state: 'running' },
      { state: 'failed', error, userId: null, finishedAt: sql.now() },
    );
    return changed > 0;
  }

  /** @param inputHash of the input that was really used */
  async finish(id: number, result: AssistanceResult, inputHash: Buffer): Promise<void> {
    await this.#end(id, { state: 'done', result, inputHash });
  }

  /** @param error a message for the user */
  async fail(id: number, error: string): Promise<void> {
    await this.#end(id, { state: 'failed', error });
  }

  /** Removes the running requests of a user. Results have no owner. */
  async removeOfUser(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ArticleAssistanceEntity, { userId }));
  }

  async forgetFinishedBefore(days: number): Promise<void> {
    await forgetFinished(this.database, days);
  }

  async #end(id: number, outcome: Outcome): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(
        ArticleAssistanceEntity,
        { id, state: 'running' },
        { ...outcome, userId: null, finishedAt: sql.now() },
      ),
    );
  }
}
