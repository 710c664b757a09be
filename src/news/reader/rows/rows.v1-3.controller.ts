import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { ListChangedRows, ListRows, MarkRowsRead, UndoMarking } from './rows.input.js';
import { RowsService } from './rows.service.js';
import {
  toChanges,
  toPage,
  RowsAnswer,
  ChangedRowsAnswer,
  MarkedRowsAnswer,
  UnmarkedRowsAnswer,
} from './rows.wire.js';

/** @see docs/news-api.md "Lists by date" */
@NewsController(V1_3, 'rows')
@WorksOnFullDisk()
export class RowsV13Controller {
  constructor(private readonly rows: RowsService) {}

  @InTurn()
  @Get('', 'Lists items by date, without their bodies.', RowsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ListRows) { selection, page }: In<typeof ListRows>,
  ) {
    return toPage(await this.rows.list(user.userId, selection, page));
  }

  @InTurn()
  @Get('changed', 'Lists the flags of items that changed since a time.', ChangedRowsAnswer)
  async listChanged(
    @CurrentUser() user: Account,
    @Input(ListChangedRows) { since }: In<typeof ListChangedRows>,
  ) {
    return toChanges(await this.rows.changedSince(user.userId, since));
  }

  @ApiPost('read', 'Marks all items of a list read.', MarkedRowsAnswer)
  async markRead(@CurrentUser() user: Account, @Input(MarkRowsRead) rest: In<typeof MarkRowsRead>) {
    const { marked, stampsMicros } = await this.rows.markRead(user.userId, rest);
    return { marked, undo: stampsMicros, since: stampsMicros.at(-1) ?? 0 };
  }

  @ApiPost('read/undo', 'Undoes the marking of a list.', UnmarkedRowsAnswer)
  async undo(@CurrentUser() user: Account, @Input(UndoMarking) { undo }: In<typeof UndoMarking>) {
    const { marked, stampsMicros } = await this.rows.undo(user.userId, undo);
    return { marked, since: stampsMicros.at(-1) ?? 0 };
  }
}
