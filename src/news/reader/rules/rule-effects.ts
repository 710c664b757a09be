import type { QueriedArticle } from '../../query/query.js';
import type { RuleEffect } from '../../tables/rule.entity.js';
import type { NewNotice } from '../notices/notices.repository.js';
import type { Rule } from './rules.repository.js';

/** What a rule did to an item earlier. */
export interface DoneEffect {
  readonly itemId: number;
  readonly ruleId: number;
  readonly effect: RuleEffect;
  /** 0 for other effects. */
  readonly labelId: number;
  readonly isUndone: boolean;
  /** Whether the user has marked a list read since that had the item. */
  readonly isCovered: boolean;
}

/** An item that rules match, as it is before their effects. */
export interface MatchedItem {
  readonly itemId: number;
  /** Null for one that was just delivered. */
  readonly older: {
    readonly lastModifiedMicros: number;
    /** Whether only rules and its publisher have changed it. */
    readonly isUntouched: boolean;
    /** What rules did to it. */
    readonly done: readonly DoneEffect[];
  } | null;
  readonly article: QueriedArticle;
  /** In their order. */
  readonly rules: readonly Rule[];
  /** Whether it may be told. */
  readonly isNews: boolean;
}

/** What rules do to an item now. */
export interface ItemEffects {
  readonly itemId: number;
  readonly read: boolean;
  readonly hide: boolean;
  readonly star: boolean;
  readonly retain: boolean;
  readonly fulltext: boolean;
  readonly labelIds: readonly number[];
  /** What is remembered of each rule. */
  readonly effects: readonly { ruleId: number; effect: RuleEffect; labelId: number }[];
  readonly notices: readonly NewNotice[];
  /** The item's stamp before; null if it is that of this transaction. */
  readonly formerMicros: number | null;
  /** Whether the item itself changes. */
  readonly isChanged: boolean;
}

/** Articles dated earlier before their arrival are not told. */
const LATEST_NEWS_SECONDS = 48 * 3600;

/**
 * Unites the effects of the rules that match an item. Each happens once per rule and item, also after undo.
 * What is starred, labelled or touched is not marked; what a rule marked is no news.
 */
export function effectsOn({ itemId, older, article, rules, isNews }: MatchedItem): ItemEffects {
  const done = older?.done ?? [];
  const isActive = (effect: RuleEffect, labelId = 0) =>
    done.some((one) => one.effect === effect && one.labelId === labelId && !one.isUndone);
  const { unread, starred } = article.states;
  const isStarred = starred && !isActive('star');
  const isLabelled = article.labelIds.some((id) => !isActive('label', id));
  const isReadByRules =
    (isActive('read') || isActive('hide')) && !done.some(({ isCovered }) => isCovered);
  const mayMark =
    (unread || isReadByRules) && !isStarred && !isLabelled && older?.isUntouched !== false;
  const effects: { ruleId: number; effect: RuleEffect; labelId: number }[] = [];
  const labelIds = new Set<number>();
  const wants = new Set<RuleEffect>();
  const add = (rule: Rule, effect: RuleEffect, labelId = 0) => {
    const isDone = done.some(
      (one) => one.ruleId === rule.id && one.effect === effect && one.labelId === labelId,
    );
    if (isDone || effects.some((one) => isSame(one, rule.id, effect, labelId))) {
      return;
    }
    effects.push({ ruleId: rule.id, effect, labelId });
    wants.add(effect);
    if (effect === 'label' && !article.labelIds.includes(labelId)) {
      labelIds.add(labelId);
    }
  };
  const tellers: Rule[] = [];
  for (const rule of rules) {
    for (const action of rule.actions) {
      switch (action.type) {
        case 'read':
        case 'hide':
          if (mayMark) {
            add(rule, action.type);
          }
          break;
        case 'star':
          if (!isStarred) {
            add(rule, 'star');
          }
          break;
        case 'label':
          for (const labelId of action.labelIds) {
            if (!article.labelIds.includes(labelId) || isActive('label', labelId)) {
              add(rule, 'label', labelId);
            }
          }
          break;
        case 'retain':
        case 'fulltext':
        case 'stop':
          add(rule, action.type);
          break;
        case 'notify':
        case 'mail':
        case 'send':
          tellers.push(rule);
      }
    }
  }
  const isMarked = wants.has('read') || wants.has('hide');
  const notices =
    isNews && unread && !isMarked
      ? [...new Set(tellers)]
          .filter((rule) => isToldBy(rule, article))
          .flatMap((rule) => {
            add(rule, 'tell');
            return effects.some((one) => isSame(one, rule.id, 'tell', 0))
              ? noticesOf(rule, itemId)
              : [];
          })
      : [];
  return {
    itemId,
    read: isMarked,
    hide: wants.has('hide'),
    star: wants.has('star'),
    retain: wants.has('retain'),
    fulltext: wants.has('fulltext'),
    labelIds: [...labelIds],
    effects,
    notices,
    formerMicros: older?.lastModifiedMicros ?? null,
    isChanged:
      (isMarked && unread) ||
      (wants.has('hide') && !article.states.filtered) ||
      (wants.has('star') && !starred) ||
      labelIds.size > 0,
  };
}

function isSame(
  one: { readonly ruleId: number; readonly effect: RuleEffect; readonly labelId: number },
  ruleId: number,
  effect: RuleEffect,
  labelId: number,
): boolean {
  return one.ruleId === ruleId && one.effect === effect && one.labelId === labelId;
}

function isToldBy(rule: Rule, { publishedSeconds, arrivedSeconds }: QueriedArticle): boolean {
  return (
    publishedSeconds >= arrivedSeconds - LATEST_NEWS_SECONDS &&
    publishedSeconds >= rule.toldFromSeconds
  );
}

function noticesOf({ id: ruleId, name: ruleName, actions }: Rule, itemId: number): NewNotice[] {
  const notice = { ruleId, ruleName, itemId };
  return actions.flatMap((action): NewNotice[] => {
    switch (action.type) {
      case 'notify':
        return [
          { ...notice, urgent: action.urgent, channelIds: action.channelIds, digestAt: null },
        ];
      case 'mail':
        return [
          action.at === 'now'
            ? { ...notice, urgent: false, channelIds: null, digestAt: null, byMail: true }
            : { ...notice, urgent: false, channelIds: null, digestAt: action.at },
        ];
      case 'send':
        return [{ ...notice, urgent: false, channelIds: [action.channelId], digestAt: null }];
      default:
        return [];
    }
  });
}
