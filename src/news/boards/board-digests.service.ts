import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { Allowances } from '../../common/ports/allowances.js';
import { Recipients } from '../../common/ports/recipients.js';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { isSameSecret } from '../../common/secrets/token-hash.js';
import { DAY_SECONDS } from '../../common/units.js';
import type { Editor } from '../group-folders/group-folders.service.js';
import { BoardNotFound } from '../news.errors.js';
import { nextTime } from '../reader/notices/local-time.js';
import { MailNotOffered } from '../reader/notices/notices.errors.js';
import { BoardDigestsRepository } from './board-digests.repository.js';
import { RefusalNotFound, TooManyDigestTimes } from './boards.errors.js';
import { boardChange, BoardsService } from './boards.service.js';

/** Each can bring the members of a board one more mail within the day. */
const TIMES = { kind: 'times of a digest', most: 5, periodSeconds: DAY_SECONDS };

/** When members get what was added to a board by mail, and who of them wants it. */
@Injectable()
export class BoardDigestsService {
  constructor(
    private readonly boards: BoardsService,
    private readonly rows: BoardDigestsRepository,
    private readonly recipients: Recipients,
    private readonly allowances: Allowances,
    private readonly secretBox: SecretBox,
    private readonly log: AdministrationLog,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {}

  /** @param at `HH:MM`; null ends it @throws BoardNotFound, MailNotOffered, TooManyDigestTimes */
  async set(caller: Editor, boardId: number, at: string | null, timeZone: string): Promise<void> {
    const board = await this.boards.findToEdit(caller, boardId);
    if (at === null) {
      await this.rows.remove(boardId);
    } else if (this.recipients.mailSender === null) {
      throw new MailNotOffered('This service sends no mail.');
    } else {
      const { granted, waitSeconds } = await this.allowances.take(`board ${boardId}`, TIMES);
      if (granted === 0) {
        throw new TooManyDigestTimes(TIMES.most, waitSeconds);
      }
      await this.rows.save(boardId, at, timeZone, nextTime(this.clock.now(), at, timeZone));
    }
    const what = at === null ? 'no digest' : `digest at ${at} (${timeZone})`;
    await this.log.record(boardChange(board, what));
  }

  /** Whether the caller wants it. @throws BoardNotFound for who is no member */
  async choose(caller: Editor, boardId: number, isWanted: boolean): Promise<void> {
    const { isMember } = await this.boards.find(caller, boardId);
    BoardNotFound.unless(isMember, boardId);
    await this.rows.choose(boardId, caller.account.userId, isWanted);
  }

  /** Where a member's mail program ends the digests of a board. */
  refusalUrl(boardId: number, userId: string): string {
    return this.address.of(`apps/news/board-digests/${this.#tokenOf(boardId, userId)}`);
  }

  /** Ends the digests of a board for whom the token is of. @throws RefusalNotFound for a wrong one */
  async refuse(token: string): Promise<void> {
    const [boardId = '', name = ''] = token.split('.');
    const userId = Buffer.from(name, 'base64url').toString('utf8');
    RefusalNotFound.unless(isSameSecret(token, this.#tokenOf(Number(boardId), userId)));
    await this.rows.choose(Number(boardId), userId, false);
  }

  #tokenOf(boardId: number, userId: string): string {
    const mac = this.secretBox.digest(`${boardId} ${userId}`, 'refusal of a digest');
    const name = Buffer.from(userId).toString('base64url');
    return `${boardId}.${name}.${mac.toString('base64url').slice(0, 24)}`;
  }
}
