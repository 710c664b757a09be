import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-error.js';
import { escapeXml } from '../http/escape-xml.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { rulesOfFeed, ruleOfTtRss } from '../reader/rules/foreign-rules.js';
import { PortableRules, type PortableRule } from '../reader/rules/portable-rule.js';
import { RuleTransfers } from '../reader/rules/rule-transfers.service.js';
import { feedAddress } from '../sources/feed-address.js';
import type { InvalidOpmlFeed, OpmlDocument, OpmlFeed } from './read-opml.js';

/** Rules in OPML: ours, and those of FreshRSS, Miniflux and tt-rss. */
@Injectable()
export class OpmlRules {
  constructor(private readonly rules: RuleTransfers) {}

  /** Saves the rules of a file. @returns those that were not taken */
  async import(reader: Reader, { feeds, rules }: OpmlDocument): Promise<InvalidOpmlFeed[]> {
    const found = [
      ...ownRules(rules.own),
      ...feeds.flatMap(rulesOf),
      ...rules.ttRss.flatMap((json) => ruleOfTtRss(json) ?? []),
    ];
    if (found.length === 0) {
      return [];
    }
    const { problems } = await this.rules.import(reader, found);
    return problems.map(({ name, reason }) => ({ title: name, url: '', reason, line: null }));
  }

  /** Our rules as an element of a file's head; empty without any. */
  async export(reader: Reader): Promise<string> {
    const rules = await this.rules.export(reader);
    return rules.length === 0
      ? ''
      : `<gatefold:rules>${escapeXml(JSON.stringify({ rules }))}</gatefold:rules>`;
  }
}

function rulesOf({ url, filters }: OpmlFeed): PortableRule[] {
  if (filters === undefined) {
    return [];
  }
  try {
    return rulesOfFeed(filters, feedAddress(url).href);
  } catch (error) {
    // The feed itself is refused with the reason.
    if (error instanceof DomainError) {
      return [];
    }
    throw error;
  }
}

function ownRules(json: string | null): readonly PortableRule[] {
  try {
    const { success, data } = PortableRules.safeParse(JSON.parse(json ?? '{"rules": []}'));
    return success ? data.rules : [];
  } catch {
    return [];
  }
}
