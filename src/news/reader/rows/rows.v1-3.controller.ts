import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
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
    @CurrentReader() reader: Reader,
    @Input(ListRows) { selection, page }: In<typeof ListRows>,
  ) {
    return toPage(await this.rows.list(reader, selection, page));
  }

  @InTurn()
  @Get('changed', 'Lists the flags of items that changed since a time.', ChangedRowsAnswer)
  async listChanged(
    @CurrentReader() reader: Reader,
    @Input(ListChangedRows) { since }: In<typeof ListChangedRows>,
  ) {
    return toChanges(await this.rows.changedSince(reader, since));
  }

  @ApiPost('read', 'Marks all items of a list read.', MarkedRowsAnswer)
  async markRead(
    @CurrentReader() reader: Reader,
    @Input(MarkRowsRead) rest: In<typeof MarkRowsRead>,
  ) {
    const { marked, stampsMicros } = await this.rows.markRead(reader, rest);
    return { marked, undo: stampsMicros, since: stampsMicros.at(-1) ?? 0 };
  }

  @ApiPost('read/undo', 'Undoes the marking of a list.', UnmarkedRowsAnswer)
  async undo(
    @CurrentReader() reader: Reader,
    @Input(UndoMarking) { undo }: In<typeof UndoMarking>,
  ) {
    const { marked, stampsMicros } = await this.rows.undo(reader, undo);
    return { marked, since: stampsMicros.at(-1) ?? 0 };
  }
}
