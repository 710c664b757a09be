import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-error.js';
import type { Transaction } from '../../database/database.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import type { ItemEffects } from '../reader/rules/rule-effects.js';
import { RuleEffectsRepository } from '../reader/rules/rule-effects.repository.js';
import type { NewArticle } from '../sources/articles/article-writes.sql.js';
import { ImportFeeds, sourceOf, type ImportFeed, type MadeFeeds } from './import-feeds.service.js';
import { ImportNotes, type LimitsReached } from './import-notes.service.js';
import {
  ImportedItemsRepository,
  type ItemState,
  type NewImport,
} from './imported-items.repository.js';
import { named } from './imported-texts.service.js';
import type { ImportOutcome } from './imports.entities.js';
import type { Memory, NewsImport, StagedRow } from './imports.repository.js';
import type { KnownFeeds } from './known-feeds.js';
import { MatchesRepository } from './matches.repository.js';
import type { TellOmission } from './omissions.js';
import { feedKey } from './row-identity.js';

/** A row, and what is known of it. */
export interface PreparedRow extends StagedRow {
  /** Null unless the user has it. */
  readonly itemId: number | null;
  /** Null for a row that is never stored anew. */
  readonly article: NewArticle | null;
}

/** What a step did. */
export interface Written {
  readonly memories: readonly Memory[];
  readonly outcome: Partial<ImportOutcome>;
  readonly made: MadeFeeds & { readonly labelIds: number[] };
}

/** The rows of one item, and what they say together. */
interface Wish {
  readonly rows: readonly PreparedRow[];
  readonly read: boolean;
  readonly starred: boolean;
  readonly labels: string[];
  readonly isNoted: boolean;
  /** Whether it was saved as a page. */
  readonly isPage: boolean;
}

/** An import among the rules whose effects are remembered. */
export const ruleIdOf = (importId: number): number => -importId;

/** Writes a step of an import. Called under the lock of the reader. */
@Injectable()
export class ImportWriting {
  constructor(
    private readonly feeds: ImportFeeds,
    private readonly items: ImportedItemsRepository,
    private readonly notes: ImportNotes,
    private readonly matches: MatchesRepository,
    private readonly effects: RuleEffectsRepository,
  ) {}

  /**
   * Stores what is new, and stars, labels, notes and marks as read what is there; except what an import did
   * before, for its user may have taken it back.
   *
   * @param before memories of these rows and items
   */
  async write(
    reader: Reader,
    locked: LockedReader,
    { id: importId, format }: NewsImport,
    rows: readonly PreparedRow[],
    known: KnownFeeds,
    before: readonly Memory[],
    tellOmission: TellOmission,
    tx: Transaction,
  ): Promise<Written> {
    const made = { feedIds: [], folderIds: [], labelIds: [] as number[] };
    const wishes = wishesOf(rows);
    const wanted = await this.#wanted(reader, format, wishes, known, made, tellOmission, tx);
    const there = await this.matches.itemsByGuid(
      locked.id,
      wanted.map(({ feedId, sourceId, article: { name } }) => ({ feedId, sourceId, ...name })),
      tx,
    );
    const keyOf = ({ feedId, article: { name } }: NewImport) => `${feedId}/${name.guidHash}`;
    const missing = wanted.filter((one) => !there.has(keyOf(one)));
    const ids = await this.items.create(locked, missing, tx);
    const created = new Map(missing.map(({ wish }, place) => [wish, ids[place] ?? 0]));
    const present = new Map(wanted.map((one) => [one.wish, there.get(keyOf(one))]));
    const itemIdOf = (wish: Wish) =>
      wish.rows[0]?.itemId ?? created.get(wish) ?? present.get(wish) ?? null;
    const items = wishes.flatMap((wish) => {
      const itemId = itemIdOf(wish);
      return itemId === null ? [] : [{ itemId, wish, isNew: created.has(wish) }];
    });
    const itemIds = items.map(({ itemId }) => itemId);
    const states = await this.items.states(locked.id, itemIds, tx);
    const memories = Map.groupBy(before, ({ itemId }) => itemId);
    const tellLimit: LimitsReached = (limit, count) =>
      tellOmission(
        null,
        `They were more than the ${limit.replaceAll('-', ' ')} of this installation.`,
        count,
      );
    const changes = items.flatMap(({ itemId, wish, isNew }) => {
      const state = states.get(itemId);
      return state === undefined ? [] : [changeOf(wish, state, memories.get(itemId) ?? [], isNew)];
    });
    const names = [...new Set(changes.flatMap(({ labels }) => labels))];
    const labelIds =
      names.length === 0
        ? new Map<string, number>()
        : await this.notes.labelIds(locked.id, names, made.labelIds, tellLimit, tx);
    let room = names.length === 0 ? 0 : await this.notes.roomForLabels(locked.id, tx);
    const effects = changes.map((change): ItemEffects => {
      const wanted = change.labels.flatMap((name) => labelIds.get(name) ?? []);
      const ofItem = this.notes.mostLabelsOfItem - change.state.labelNames.length;
      const some = wanted.slice(0, Math.max(0, Math.min(room, ofItem)));
      if (some.length < wanted.length) {
        const limit = some.length === room ? 'labels-on-items-per-user' : 'labels-per-item';
        tellLimit(limit, wanted.length - some.length);
      }
      room -= some.length;
      return effectsOf(change, some, ruleIdOf(importId));
    });
    await this.effects.carryOut(
      locked,
      effects.filter((one) => one.effects.length > 0),
      tx,
    );
    const noted = new Map(
      changes.flatMap(({ wish, state, notes }) =>
        notes ? [[state.itemId, wish.rows.map(({ row }) => row)] as const] : [],
      ),
    );
    const highlightIds = await this.notes.create(locked.id, noted, tellLimit, tx);
    const count = (condition: (change: Change) => boolean) => changes.filter(condition).length;
    return {
      made,
      memories: changes.flatMap(({ wish, state, isNew }) =>
        [...new Set(wish.rows.map(({ identity }) => identity.toString('hex')))].map(
          (identity, place) => ({
            identity,
            importId,
            itemId: state.itemId,
            created: isNew && place === 0,
            read: wish.read,
            starred: wish.starred,
            noted: wish.isNoted,
            labels: wish.labels,
            highlightIds: place === 0 ? (highlightIds.get(state.itemId) ?? []) : [],
          }),
        ),
      ),
      outcome: {
        stored: created.size,
        found: count(({ isNew }) => !isNew),
        starred: count(({ isNew, star, wish }) => star || (isNew && wish.starred)),
        read: count(({ read }) => read),
        labelled: effects.filter((one) => one.labelIds.length > 0).length,
        noted: [...highlightIds.values()].filter((some) => some.length > 0).length,
        notFound: wishes.filter(
          ({ rows: [first] }) => first?.itemId === null && first.article === null,
        ).length,
      },
    };
  }

  /** What is to be stored anew, and where. */
  async #wanted(
    reader: Reader,
    format: NewsImport['format'],
    wishes: readonly Wish[],
    known: KnownFeeds,
    made: MadeFeeds,
    tellOmission: TellOmission,
    tx: Transaction,
  ): Promise<(NewImport & { readonly wish: Wish })[]> {
    const feeds = new Map<string, ImportFeed>();
    const wanted: (NewImport & { readonly wish: Wish })[] = [];
    for (const wish of wishes) {
      const [first] = wish.rows;
      if (first === undefined || first.itemId !== null || first.article === null) {
        continue;
      }
      const source = sourceOf(reader, format, first.row);
      const key = source.urlKey.toString('hex');
      try {
        const link = first.row.feed?.siteUrl ?? null;
        const feed =
          feeds.get(key) ?? (await this.feeds.of(reader, format, source, link, known, made, tx));
        feeds.set(key, feed);
        wanted.push({
          feedId: feed.feedId,
          sourceId: feed.sourceId,
          article: feed.isRest
            ? named(
                first.article.item,
                `${first.row.feed && feedKey(first.row.feed)} ${first.article.name.guid}`,
              )
            : first.article,
          unread: !wish.read,
          starred: wish.starred,
          wish,
        });
      } catch (error) {
        if (!(error instanceof DomainError)) {
          throw error;
        }
        wish.rows.forEach(({ row }) => tellOmission(row.title ?? row.url ?? '', error.message));
      }
    }
    return wanted;
  }
}

/** What a wish changes of an item. */
interface Change {
  readonly wish: Wish;
  readonly state: ItemState;
  readonly isNew: boolean;
  readonly read: boolean;
  readonly star: boolean;
  /** Keeps it from the clean-up. */
  readonly retain: boolean;
  readonly labels: readonly string[];
  readonly notes: boolean;
}

/** Rows of one item, or of one article that is stored anew, together. */
function wishesOf(rows: readonly PreparedRow[]): Wish[] {
  const groups = new Map<string, PreparedRow[]>();
  for (const one of rows) {
    const { itemId, row, article, identity } = one;
    const keys =
      itemId === null
        ? [
            identity.toString('hex'),
            ...(article === null ? [] : [`${row.feed && feedKey(row.feed)} ${article.name.guid}`]),
          ]
        : [String(itemId)];
    const group = keys.map((key) => groups.get(key)).find(Boolean) ?? [];
    group.push(one);
    keys.forEach((key) => groups.set(key, group));
  }
  return [...new Set(groups.values())].map((some) => ({
    rows: some,
    // A program that does not say so has kept it, which is not unread.
    read:
      some.some(({ row }) => row.isRead === true) || some.every(({ row }) => row.isRead === null),
    starred: some.some(({ row }) => row.isStarred),
    labels: [...new Set(some.flatMap(({ row }) => row.labels))],
    isNoted: some.some(({ row }) => row.note !== null || row.highlights.length > 0),
    isPage: some.some(({ row }) => row.feed === null && row.isStateOnly !== true),
  }));
}

function changeOf(wish: Wish, state: ItemState, before: readonly Memory[], isNew: boolean): Change {
  const isSaid = wish.rows.some(({ row }) => row.isRead === true);
  const had = new Set([...state.labelNames, ...before.flatMap(({ labels }) => labels)]);
  return {
    wish,
    state,
    isNew,
    read: !isNew && isSaid && state.unread && !before.some(({ read }) => read),
    star: !isNew && wish.starred && !state.starred && !before.some(({ starred }) => starred),
    retain: isNew || (wish.isPage && before.length === 0),
    labels: wish.labels.filter((name) => !had.has(name)),
    notes: wish.isNoted && !before.some(({ noted }) => noted),
  };
}

function effectsOf(
  { state, isNew, read, star, retain }: Change,
  labelIds: readonly number[],
  ruleId: number,
): ItemEffects {
  const done = (effect: 'read' | 'star' | 'label' | 'retain', labelId = 0) => ({
    ruleId,
    effect,
    labelId,
  });
  return {
    itemId: state.itemId,
    read,
    star,
    labelIds,
    retain,
    hide: false,
    fulltext: false,
    notices: [],
    effects: [
      ...(read ? [done('read')] : []),
      ...(star ? [done('star')] : []),
      ...labelIds.map((id) => done('label', id)),
      ...(retain ? [done('retain')] : []),
    ],
    formerMicros: isNew ? null : state.lastModifiedMicros,
    isChanged: read || star || labelIds.length > 0,
  };
}
