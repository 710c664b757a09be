import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { invalid } from '../../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import type { SqlRunner } from '../../../database/database.js';
import { ItemNotFound, LabelNotFound } from '../../news.errors.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { LabelsRepository, type Label } from './labels.repository.js';

class InvalidLabelName extends invalid((rule: string) => `The name of a label ${rule}.`) {}

export type { Label } from './labels.repository.js';

const MAX_NAME_CHARACTERS = 255;

/** Names of labels that items get and lose. */
interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** A removed label, to undo its removal by `change`. */
interface RemovedLabel {
  readonly name: string;
  /** Rising. */
  readonly itemIds: readonly number[];
}

/**
 * A user's labels on items. Names are unique per user; case matters. A label without items stays until
 * it is removed. An item whose labels change counts as changed.
 *
 * @see docs/decisions/0048-labels.md
 */
@Injectable()
export class LabelsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly labels: LabelsRepository,
    private readonly config: Config,
  ) {}

  /** Sorted by name. */
  async list(reader: Reader): Promise<Label[]> {
    return this.labels.list(reader.id);
  }

  /**
   * Adds labels to items, creating missing ones; removes others from them, which stay. All or nothing; a
   * name in both is removed. Unknown items and other users' items are ignored.
   * @throws InvalidLabelName
   */
  async change(reader: Reader, itemIds: readonly number[], change: LabelChange): Promise<void> {
    await this.#change(reader, itemIds, change, () => {});
  }

  /** Changes the labels of one item. @throws ItemNotFound */
  async changeOne(reader: Reader, itemId: number, change: LabelChange): Promise<void> {
    await this.#change(reader, [itemId], change, (found) => {
      ItemNotFound.unless(found.length > 0, itemId);
    });
  }

  /**
   * Renames a label. If another one has the name, its items get that one instead, and the label is
   * removed.
   *
   * @throws InvalidLabelName
   * @throws LabelNotFound
   */
  async rename(reader: Reader, labelId: number, givenName: string): Promise<void> {
    const name = checkedName(givenName);
    await this.readers.change(reader, async (tx, reader) => {
      const present = LabelNotFound.unless(
        await this.labels.nameOf(reader.id, labelId, tx),
        labelId,
      );
      if (present === name) {
        return;
      }
      const otherId = (await this.labels.idsByName(reader.id, [name], tx)).get(name);
      await (otherId === undefined
        ? this.labels.rename(reader, labelId, name, tx)
        : this.labels.merge(reader, labelId, otherId, tx));
    });
  }

  /** Removes a label from all items, and the label. @throws LabelNotFound */
  async remove(reader: Reader, labelId: number): Promise<RemovedLabel> {
    return this.readers.change(reader, async (tx, reader) => {
      const name = LabelNotFound.unless(await this.labels.nameOf(reader.id, labelId, tx), labelId);
      return { name, itemIds: await this.labels.remove(reader, labelId, tx) };
    });
  }

  /**
   * Ids of labels with these names, creating missing ones.
   *
   * @returns ids of all in no order, and of those that were created
   * @throws InvalidLabelName, LimitReached
   */
  async idsOf(
    reader: LockedReader,
    names: readonly string[],
    tx: SqlRunner,
  ): Promise<{ readonly ids: number[]; readonly createdIds: number[] }> {
    const wanted = [...new Set(names.map(checkedName))];
    const known = await this.labels.idsByName(reader.id, wanted, tx);
    const ids = await this.#findOrCreate(reader, wanted, tx);
    const before = new Set(known.values());
    return { ids, createdIds: ids.filter((id) => !before.has(id)) };
  }

  /** @param check of the items that exist; may throw, then nothing is changed */
  async #change(
    reader: Reader,
    itemIds: readonly number[],
    { add, remove }: LabelChange,
    check: (found: readonly number[]) => void,
  ): Promise<void> {
    const removed = new Set(remove.map(checkedName));
    const added = new Set(add.map(checkedName).filter((name) => !removed.has(name)));
    // Refused before they are written, since each is a row.
    assertBelowLimit(this.config, 'labels-on-items-per-user', 0, itemIds.length * added.size);
    await this.readers.change(reader, async (tx, reader) => {
      const addedIds = await this.#findOrCreate(reader, [...added], tx);
      const removedIds = await this.labels.idsByName(reader.id, [...removed], tx);
      const found = await this.labels.changeItems(
        reader,
        itemIds,
        addedIds,
        [...removedIds.values()],
        tx,
      );
      check(found);
      if (addedIds.length > 0) {
        const most = await this.labels.mostOfItem(reader.id, found, tx);
        assertBelowLimit(this.config, 'labels-per-item', most, 0);
        const mostOfUser = this.config.limits['labels-on-items-per-user'] + 1;
        const all = await this.labels.countOnItems(reader.id, mostOfUser, tx);
        assertBelowLimit(this.config, 'labels-on-items-per-user', all, 0);
      }
    });
  }

  async #findOrCreate(
    reader: LockedReader,
    names: readonly string[],
    tx: SqlRunner,
  ): Promise<number[]> {
    const known = await this.labels.idsByName(reader.id, names, tx);
    const missing = names.filter((name) => !known.has(name));
    if (missing.length > 0) {
      const most = this.config.limits['labels-per-user'];
      const count = await this.labels.count(reader.id, most, tx);
      assertBelowLimit(this.config, 'labels-per-user', count, missing.length);
    }
    return [...known.values(), ...(await this.labels.create(reader.id, missing, tx))];
  }
}

function checkedName(given: string): string {
  const name = given.trim().toWellFormed();
  if (name === '') {
    throw new InvalidLabelName('must not be empty');
  }
  if (name.length > MAX_NAME_CHARACTERS) {
    throw new InvalidLabelName(`has at most ${MAX_NAME_CHARACTERS} characters`);
  }
  if (/\p{Cc}/u.test(name)) {
    throw new InvalidLabelName('must not contain control characters');
  }
  return name;
}
