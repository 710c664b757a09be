import { Injectable } from '@nestjs/common';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { DomainError } from '../../common/errors/domain-error.js';
import {
  AccountTransferParts,
  type TransferNotes,
  type TransferSource,
} from '../../common/ports/account-transfer.js';
import { OpmlReader } from '../opml/opml-reader.service.js';
import { LARGEST_OPML_BYTES } from '../opml/read-opml.js';
import { ReaderIdsRepository, type Reader } from '../reader/delivery/reader-ids.repository.js';
import { LabelsService } from '../reader/labels/labels.service.js';
import { NoticeTransfers } from '../reader/notices/notice-transfers.service.js';
import { PortableRules, type PortableRule } from '../reader/rules/portable-rule.js';
import { RuleTransfers } from '../reader/rules/rule-transfers.service.js';
import { SavedSearchesService } from '../reader/search/saved-searches.service.js';
import { FeedSettingsRestore } from './feed-settings-restore.service.js';

type LeaveOut = TransferNotes['leaveOut'];

const Names = z.array(z.string()).catch([]);
const Searches = z
  .array(z.object({ name: z.string(), query: z.string(), inClients: z.boolean() }))
  .catch([]);
const OwnFeeds = z
  .object({
    ownFeeds: z.array(
      z.object({
        url: z.string(),
        title: z.string().nullable(),
        folder: z.string().nullable(),
        own: z.record(z.string(), z.string()),
      }),
    ),
  })
  .catch({ ownFeeds: [] });

/** Takes in how a user set up the reader, after their articles: adds what is missing, and changes nothing else. */
@Injectable()
export class ReaderRestore {
  constructor(
    private readonly ids: ReaderIdsRepository,
    private readonly opml: OpmlReader,
    private readonly feeds: FeedSettingsRestore,
    private readonly labels: LabelsService,
    private readonly searches: SavedSearchesService,
    private readonly notices: NoticeTransfers,
    private readonly rules: RuleTransfers,
    parts: AccountTransferParts,
  ) {
    parts.addImport((...given) => this.#takeIn(...given));
  }

  async #takeIn(userId: string, source: TransferSource, leaveOut: LeaveOut): Promise<void> {
    const reader = await this.ids.of(userId);
    await this.#feedSettings(reader, source, leaveOut);
    const add = Names.parse(await source.json('labels.json'));
    await orLeftOut(leaveOut, 'labels', () => this.labels.change(reader, [], { add, remove: [] }));
    await this.#searches(reader, source, leaveOut);
    const channels = await this.notices.import(reader, await source.json('notices.json'), leaveOut);
    const { data } = PortableRules.safeParse(await source.json('rules.json'));
    const rules = (data?.rules ?? []).map((rule) => withChannels(rule, channels));
    const { problems } = await this.rules.import(reader, rules);
    problems.forEach(({ name, reason }) => leaveOut(`rule "${name}"`, reason));
  }

  async #feedSettings(reader: Reader, source: TransferSource, leaveOut: LeaveOut): Promise<void> {
    const file = await source.open('subscriptions.opml', LARGEST_OPML_BYTES);
    const feeds = file === null ? [] : (await this.opml.readFile(await buffer(file))).feeds;
    const { ownFeeds } = OwnFeeds.parse(await source.json('reader.json'));
    const settings = feeds.flatMap(({ url, title, own }) => (own ? [{ url, title, own }] : []));
    await this.feeds.takeIn(reader, [...settings, ...ownFeeds], leaveOut);
  }

  /** One that uses another comes after it. */
  async #searches(reader: Reader, source: TransferSource, leaveOut: LeaveOut): Promise<void> {
    const { searches } = await this.searches.list(reader);
    const present = new Set(searches.map(({ name }) => name));
    let rest = Searches.parse(await source.json('searches.json')).filter(
      ({ name }) => !present.has(name),
    );
    for (let before = Infinity; rest.length < before;) {
      before = rest.length;
      const failed: typeof rest = [];
      for (const search of rest) {
        await orLeftOut(
          () => failed.push(search),
          search.name,
          () => this.searches.create(reader, search),
        );
      }
      rest = failed;
    }
    for (const search of rest) {
      await orLeftOut(leaveOut, `search "${search.name}"`, () =>
        this.searches.create(reader, search),
      );
    }
  }
}

async function orLeftOut(
  leaveOut: LeaveOut,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError)) {
      throw error;
    }
    leaveOut(what, error.message);
  }
}

/**
 * A rule with the channels as they are here. Without one of them it is off, and leads to none; its number is that of
 * another service.
 */
function withChannels(
  { id: _id, ...rule }: PortableRule,
  channels: ReadonlyMap<number, number>,
): PortableRule {
  const named = rule.actions.flatMap((action) =>
    action.type === 'send'
      ? [action.channelId]
      : action.type === 'notify'
        ? (action.channelIds ?? [])
        : [],
  );
  if (named.length === 0) {
    return rule;
  }
  const isWhole = named.every((channelId) => channels.has(channelId));
  const actions = rule.actions.flatMap((action): PortableRule['actions'] => {
    if (action.type === 'send') {
      const channelId = channels.get(action.channelId);
      return channelId === undefined ? [] : [{ ...action, channelId }];
    }
    return action.type === 'notify' && action.channelIds !== null
      ? [{ ...action, channelIds: action.channelIds.flatMap((one) => channels.get(one) ?? []) }]
      : [action];
  });
  return isWhole
    ? { ...rule, actions }
    : {
        ...rule,
        actions,
        enabled: false,
        left: 'It tells you by a channel that is not here: add the channel, choose it in the rule, and switch the rule on.',
      };
}
