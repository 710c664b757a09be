import { createHash } from 'node:crypto';
import { Offer } from '../../../common/ports/offer.js';
import type { SqlRunner } from '../../../common/sql-runner.js';

/** A yes/no question of a rule about an item whose answer is not known. */
export interface Question {
  readonly itemId: number;
  readonly question: string;
}

/** Asks apps. Offered by the assistance. */
export interface Questions {
  /**
   * Has questions asked later, within the reader's budget, once for all who have the article. Answers come as
   * changes of the items: `DeliveryService.reconsider`.
   *
   * @param tx of the delivery, which waits for nothing
   */
  ask(readerId: number, questions: readonly Question[], tx: SqlRunner): Promise<void>;
  /** Begins to ask at once. Call after the commit. */
  wake(): void;
}

export class QuestionsOffer extends Offer<Questions> {}

/** By which the answer to a question is stored; questions may be long. */
export function answerKey(question: string): string {
  return createHash('sha256').update(question.trim()).digest('base64url');
}
