import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { UserPlaces } from '../../query/query.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { PortableRule } from './portable-rule.js';
import { RuleMoments } from './rule-moments.service.js';
import { RulesRepository } from './rules.repository.js';
import { RulesService, type GivenRule } from './rules.service.js';

/** What became of rules in a file. */
export interface RuleImport {
  readonly imported: number;
  /** Rules that are inactive or were not taken, and why. */
  readonly problems: readonly { readonly name: string; readonly reason: string }[];
}

/** Rules to and from files. @see docs/news-api.md "Rules" */
@Injectable()
export class RuleTransfers {
  constructor(
    private readonly rules: RulesRepository,
    private readonly service: RulesService,
    private readonly moments: RuleMoments,
  ) {}

  /** The reader's own rules in their order. */
  async export(reader: Reader): Promise<PortableRule[]> {
    const rules = (await this.service.list(reader)).filter(({ groupName }) => groupName === null);
    const { places } = await this.moments.of(reader.id, []);
    const urls = await this.rules.feedUrls(reader.id);
    const urlsOf = (ids: readonly number[]) => ids.flatMap((id) => urls.get(id) ?? []);
    const folder = new Map(places.folder.map(({ id, name }) => [id, name]));
    const namesOf = (ids: readonly number[]) => ids.flatMap((id) => folder.get(id) ?? []);
    return rules.map(({ id, name, enabled, scope, query, actions, stopAfter, untilSeconds }) => ({
      id,
      name,
      enabled,
      scope: {
        everything: scope.everything,
        feeds: urlsOf(scope.feedIds),
        folders: namesOf(scope.folderIds),
        exceptFeeds: urlsOf(scope.exceptFeedIds),
        exceptFolders: namesOf(scope.exceptFolderIds),
      },
      query,
      actions,
      stopAfter,
      until: untilSeconds,
    }));
  }

  /**
   * Saves rules of a file. One that is there already, by its id or, without one, by what it says, is replaced:
   * what it did before is not done again. What cannot be read is kept, inactive.
   */
  async import(reader: Reader, given: readonly PortableRule[]): Promise<RuleImport> {
    const { places } = await this.moments.of(reader.id, []);
    const urls = await this.rules.feedUrls(reader.id);
    const saved = await this.service.putAll(
      reader,
      given.map((rule) => ({
        id: rule.id ?? idOf(rule),
        rule: toGiven(rule, places, urls),
        ...(rule.problem !== undefined && { problem: rule.problem }),
      })),
    );
    const problems = given.flatMap((rule, n) => {
      const result = saved[n];
      const reason = result instanceof DomainError ? result.message : result?.problem;
      const name = rule.name || rule.query;
      return [reason, rule.left].flatMap((one) => (one ? [{ name, reason: one }] : []));
    });
    const imported = saved.filter((one) => !(one instanceof DomainError)).length;
    return { imported, problems };
  }
}

/** The same for the same rule. */
function idOf(rule: PortableRule): number {
  const { scope, query, actions } = rule;
  return createHash('sha256')
    .update(JSON.stringify([scope, query, actions]))
    .digest()
    .readUIntBE(0, 6);
}

function toGiven(
  rule: PortableRule,
  places: UserPlaces,
  urls: ReadonlyMap<number, string>,
): GivenRule {
  const feedIds = Map.groupBy(urls, ([, url]) => url);
  const feedsOf = (wanted: readonly string[]) =>
    wanted.flatMap((url) => feedIds.get(url)?.map(([id]) => id) ?? []);
  const foldersOf = (wanted: readonly string[]) =>
    places.folder.filter(({ name }) => wanted.includes(name)).map(({ id }) => id);
  const { scope, until, ...rest } = rule;
  return {
    ...rest,
    scope: {
      everything: scope.everything,
      feedIds: feedsOf(scope.feeds),
      folderIds: foldersOf(scope.folders),
      exceptFeedIds: feedsOf(scope.exceptFeeds),
      exceptFolderIds: foldersOf(scope.exceptFolders),
    },
    untilSeconds: until,
  };
}
