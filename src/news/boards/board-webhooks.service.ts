import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { InstallationChecks } from '../../common/ports/installation-checks.js';
import { SealedValues } from '../../common/ports/sealed-values.js';
import type { Editor } from '../group-folders/group-folders.service.js';
import { checkedName } from '../news.errors.js';
import { MOST_NAME_CHARACTERS } from '../reader/notices/channels.service.js';
import { InvalidChannelName } from '../reader/notices/notices.errors.js';
import { SealedWebhooks, type GivenTarget } from '../reader/notices/sealed-webhooks.service.js';
import { BoardWebhooksRepository, type BoardWebhook } from './board-webhooks.repository.js';
import { BoardWebhookExists, BoardWebhookNotFound } from './boards.errors.js';
import { boardChange, BoardsService } from './boards.service.js';

/** Webhooks of boards, which editors of the folder and administrators set. They belong to the board. */
@Injectable()
export class BoardWebhooksService {
  constructor(
    private readonly boards: BoardsService,
    private readonly rows: BoardWebhooksRepository,
    private readonly webhooks: SealedWebhooks,
    private readonly log: AdministrationLog,
    private readonly config: Config,
    private readonly clock: Clock,
    sealed: SealedValues,
    checks: InstallationChecks,
  ) {
    const lost = async () => (await rows.list(null)).filter((one) => !webhooks.opens(one));
    sealed.register({
      what: 'addresses of webhooks of boards',
      remedy: 'They are removed. Editors of the folders add them again.',
      lost: async () => (await lost()).map(({ boardId, target }) => `board ${boardId}: ${target}`),
      replaceLost: async () => {
        for (const { boardId, id } of await lost()) {
          await rows.remove(boardId, id);
        }
      },
    });
    checks.add('Boards', async () => {
      const count = await rows.countFailing();
      const text = `${count} webhooks of boards fail or were switched off.`;
      const advice = 'The folders of groups show which, and why.';
      return count === 0 ? [] : [{ state: 'warning', text, advice }];
    });
  }

  /** In the order in which they were added. @throws BoardNotFound */
  async list(caller: Editor, boardId: number): Promise<BoardWebhook[]> {
    await this.boards.findToEdit(caller, boardId);
    return this.rows.list(boardId);
  }

  /**
   * Adds a webhook, which is told what is added from then on, in the language of the caller.
   *
   * @returns with the secret that was made for the receiver, shown only now; or null
   * @throws BoardNotFound, InvalidChannel, InvalidChannelName, AddressNotAllowed, LimitReached, BoardWebhookExists
   */
  async add(
    caller: Editor,
    boardId: number,
    { name, ...given }: GivenTarget & { readonly name: string },
  ) {
    const board = await this.boards.findToEdit(caller, boardId);
    const { webhook, secret } = await this.webhooks.seal(caller.account.userId, given);
    const { target } = webhook;
    const named = checkedName(name || target, MOST_NAME_CHARACTERS, InvalidChannelName);
    const created = await this.rows.create(
      { ...webhook, boardId, name: named },
      this.clock.now(),
      (count) => assertBelowLimit(this.config, 'webhooks-per-board', count),
    );
    const id = BoardWebhookExists.unless(created);
    await this.log.record(boardChange(board, `webhook ${id} to ${target} added`));
    return { webhook: await this.#find(boardId, id), secret };
  }

  /** Switched on again, it is told what is added from then on. @throws BoardNotFound, BoardWebhookNotFound */
  async switch(caller: Editor, boardId: number, id: number, isOn: boolean): Promise<void> {
    const board = await this.boards.findToEdit(caller, boardId);
    const done = await this.rows.switch(boardId, id, isOn, this.clock.now());
    BoardWebhookNotFound.unless(done, id);
    await this.log.record(boardChange(board, `webhook ${id} switched ${isOn ? 'on' : 'off'}`));
  }

  /** @throws BoardNotFound, BoardWebhookNotFound */
  async remove(caller: Editor, boardId: number, id: number): Promise<void> {
    const board = await this.boards.findToEdit(caller, boardId);
    BoardWebhookNotFound.unless(await this.rows.remove(boardId, id), id);
    await this.log.record(boardChange(board, `webhook ${id} removed`));
  }

  /**
   * Sends a message for trial, now.
   *
   * @returns the error, a sentence; null if it was sent
   * @throws BoardNotFound, BoardWebhookNotFound, TooManyTrials
   */
  async test(caller: Editor, boardId: number, id: number): Promise<string | null> {
    await this.boards.findToEdit(caller, boardId);
    return this.webhooks.test(caller.account.userId, await this.#find(boardId, id));
  }

  async #find(boardId: number, id: number): Promise<BoardWebhook> {
    const found = (await this.rows.list(boardId)).find((one) => one.id === id);
    return BoardWebhookNotFound.unless(found, id);
  }
}
