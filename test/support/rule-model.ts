/*
 * What rules must have done to a user's items, written only for tests: whole words of titles, places and labels.
 * Nothing is stored but what each rule did to each item, and whether the user touched the item since.
 */

export type ModelAction =
  | { readonly type: 'read' | 'hide' | 'star' }
  | { readonly type: 'label'; readonly names: readonly string[] }
  | { readonly type: 'readAfter'; readonly hours: number }
  | { readonly type: 'newest'; readonly count: number }
  | { readonly type: 'readWhenUnlisted' };

/** A rule as it is sent; all of its words, and none of the unwanted, must be there. */
export interface ModelRule {
  readonly enabled: boolean;
  readonly words: readonly string[];
  readonly notWords: readonly string[];
  readonly label: string | null;
  /** Null: everything. */
  readonly feedId: number | null;
  readonly actions: readonly ModelAction[];
  readonly stopAfter: boolean;
}

/** How a rule is sent. */
export function toRuleJson({ words, notWords, label, feedId, ...rule }: ModelRule): object {
  const excluded = notWords.map((word) => `-${word}`);
  const labels = label === null ? [] : [`label:${label}`];
  return {
    ...rule,
    query: [...words, ...excluded, ...labels].join(' '),
    scope: feedId === null ? { everything: true } : { everything: false, feedIds: [feedId] },
  };
}

interface Effect {
  readonly ruleId: number;
  readonly kind: 'read' | 'hide' | 'star' | 'label';
  readonly label: string;
  isUndone: boolean;
  /** False: the user touched the item since. */
  isLast: boolean;
  /** The user marked a list read that had the item. */
  isCovered: boolean;
}

/** What everybody sees of an item. */
export interface ItemState {
  readonly id: number;
  unread: boolean;
  starred: boolean;
  filtered: boolean;
  /** By name. */
  labels: readonly string[];
}

export interface NewItem {
  readonly id: number;
  readonly articleId: number;
  readonly feedId: number;
  readonly title: string;
  readonly dateSeconds: number;
  readonly arrivedMicros: number;
}

interface ModelItem extends Omit<NewItem, 'title'>, ItemState {
  title: string;
  isUnlisted: boolean;
  isTouched: boolean;
  readonly effects: Effect[];
}

type Marked = 'read' | 'hide';
const MARKS: readonly string[] = ['read', 'hide'] satisfies Marked[];

export class RuleModel {
  #items: ModelItem[] = [];
  #rules: { readonly id: number; rule: ModelRule }[] = [];

  copy(): RuleModel {
    const copy = new RuleModel();
    copy.#items = structuredClone(this.#items);
    copy.#rules = structuredClone(this.#rules);
    return copy;
  }

  /** Equal for equal models. */
  key(): string {
    return JSON.stringify([this.#items, this.#rules]);
  }

  get ruleIds(): readonly number[] {
    return this.#rules.map(({ id }) => id);
  }

  ruleOf(ruleId: number): ModelRule | undefined {
    return this.#rules.find(({ id }) => id === ruleId)?.rule;
  }

  /** What rules did that can be undone. */
  undoable(): readonly (Pick<Effect, 'ruleId' | 'kind'> & { readonly itemId: number })[] {
    return this.#items.flatMap(({ id: itemId, effects }) =>
      effects
        .filter(
          ({ ruleId, isUndone, isLast }) => isLast && !isUndone && this.ruleIds.includes(ruleId),
        )
        .map(({ ruleId, kind }) => ({ itemId, ruleId, kind })),
    );
  }

  states(): ItemState[] {
    return this.#items.map(({ id, unread, starred, filtered, labels }) => ({
      id,
      unread,
      starred,
      filtered,
      labels: labels.toSorted(),
    }));
  }

  /** At the end of the order, or in place of the one with the id. */
  putRule(id: number, rule: ModelRule): void {
    const known = this.#rules.find((one) => one.id === id);
    if (known === undefined) {
      this.#rules.push({ id, rule });
    } else {
      known.rule = rule;
    }
  }

  removeRule(ruleId: number): void {
    this.#rules = this.#rules.filter(({ id }) => id !== ruleId);
  }

  order(ruleIds: readonly number[]): void {
    this.#rules = ruleIds.flatMap((id) => this.#rules.find((one) => one.id === id) ?? []);
  }

  /** New items, and those whose article has another title, which makes them unread in some feeds. */
  deliver(
    fresh: readonly NewItem[],
    changedTitles: ReadonlyMap<number, string>,
    makesUnread: (feedId: number) => boolean,
  ): void {
    const changed = this.#items.filter(({ articleId }) => changedTitles.has(articleId));
    for (const item of changed) {
      item.title = changedTitles.get(item.articleId) ?? '';
      this.#change(item);
      if (makesUnread(item.feedId)) {
        item.unread ||= !item.filtered;
        for (const effect of item.effects.filter(({ kind }) => MARKS.includes(kind))) {
          effect.isCovered = false;
          effect.isUndone ||= effect.kind === 'read';
        }
      }
    }
    const added = fresh.map((item) => ({
      ...item,
      unread: true,
      starred: false,
      filtered: false,
      labels: [],
      isUnlisted: false,
      isTouched: false,
      effects: [],
    }));
    this.#items.push(...added);
    const rules = this.#rules.filter(({ rule }) => rule.enabled);
    [...changed, ...added].forEach((item) => this.#askAll(item, rules));
  }

  unlist(articleIds: ReadonlySet<number>): void {
    for (const item of this.#items) {
      item.isUnlisted ||= articleIds.has(item.articleId);
    }
  }

  /** Flags by the user; also those that the items have already. */
  mark(itemIds: readonly number[], flag: 'read' | 'starred', value: boolean): void {
    for (const item of this.#items.filter(({ id }) => itemIds.includes(id))) {
      touch(item, flag === 'read' ? item.unread === value : item.starred !== value);
      if (flag === 'read') {
        item.unread = !value;
      } else {
        item.starred = value;
      }
    }
  }

  /** A list read up to an arrival or an id. */
  markList(isInList: (item: Pick<NewItem, 'id' | 'arrivedMicros'>) => boolean): void {
    for (const item of this.#items.filter(isInList)) {
      if (item.unread) {
        touch(item, true);
        item.unread = false;
      } else {
        item.effects
          .filter(({ kind }) => MARKS.includes(kind))
          .forEach((effect) => (effect.isCovered = true));
      }
    }
  }

  label(itemId: number, name: string, isOn: boolean): void {
    const item = this.#items.find(({ id }) => id === itemId);
    if (item !== undefined) {
      touch(item, item.labels.includes(name) !== isOn);
      item.labels = [...item.labels.filter((label) => label !== name), ...(isOn ? [name] : [])];
    }
  }

  /** To what is there. */
  apply(ruleId: number, nowMicros: number): void {
    const found = this.#rules.filter(({ id }) => id === ruleId);
    const switchedOn = found.map(({ id, rule }) => ({ id, rule: { ...rule, enabled: true } }));
    this.#items.forEach((item) => this.#askAll(item, switchedOn));
    switchedOn.forEach((rule) => this.#runClock(rule, nowMicros));
  }

  runClock(nowMicros: number): void {
    this.#rules.filter(({ rule }) => rule.enabled).forEach((one) => this.#runClock(one, nowMicros));
  }

  undo(ruleId: number): void {
    for (const item of this.#items) {
      const last = item.effects.filter(({ isUndone, isLast }) => isLast && !isUndone);
      const [own, others] = [
        last.filter((one) => one.ruleId === ruleId),
        last.filter((one) => one.ruleId !== ruleId),
      ];
      if (own.length === 0) {
        continue;
      }
      const isUndoing = (kinds: readonly string[]) =>
        own.some(({ kind }) => kinds.includes(kind)) &&
        !others.some(({ kind }) => kinds.includes(kind));
      const before = shown(item);
      item.unread ||= isUndoing(MARKS) && !last.some(({ isCovered }) => isCovered);
      item.filtered &&= !isUndoing(['hide']);
      item.starred &&= !isUndoing(['star']);
      const [lost, kept] = [own, others].map((some) => new Set(some.map(({ label }) => label)));
      item.labels = item.labels.filter((label) => !lost?.has(label) || kept?.has(label));
      item.effects
        .filter((one) => one.ruleId === ruleId)
        .forEach((effect) => (effect.isUndone = true));
      if (shown(item) !== before) {
        this.#change(item);
      }
    }
  }

  #runClock({ id, rule }: { readonly id: number; readonly rule: ModelRule }, nowMicros: number) {
    const reading = { id, rule: { ...rule, actions: [{ type: 'read' } as const] } };
    for (const action of rule.actions) {
      const unread = this.#items.filter((item) => item.unread && matches(rule, item, item.labels));
      const due = unread.filter((item) => {
        switch (action.type) {
          case 'readAfter':
            return item.arrivedMicros <= nowMicros - action.hours * 3_600_000_000;
          case 'readWhenUnlisted':
            return item.isUnlisted;
          case 'newest':
            return newer(item, unread).length >= action.count;
          default:
            return false;
        }
      });
      due
        .filter(({ starred, isTouched }) => !starred && !isTouched)
        .forEach((item) => this.#askAll(item, [reading]));
    }
  }

  /** The effects of all that match unite; each happens once per rule and item. */
  #askAll(item: ModelItem, rules: readonly { readonly id: number; readonly rule: ModelRule }[]) {
    const isDoneByRules = (kind: Effect['kind'], label = '') =>
      item.effects.some((one) => one.kind === kind && one.label === label && !one.isUndone);
    const isUsers =
      item.isTouched ||
      (item.starred && !isDoneByRules('star')) ||
      item.labels.some((label) => !isDoneByRules('label', label)) ||
      (!item.unread &&
        (!(isDoneByRules('read') || isDoneByRules('hide')) ||
          item.effects.some(({ isCovered }) => isCovered)));
    const isStarredByUser = item.starred && !isDoneByRules('star');
    const ownLabels = new Set(item.labels.filter((label) => !isDoneByRules('label', label)));
    const seenLabels = new Set(item.labels);
    const added: Effect[] = [];
    const add = (ruleId: number, kind: Effect['kind'], label = '') => {
      const isSame = (one: Effect) =>
        one.ruleId === ruleId && one.kind === kind && one.label === label;
      if (!item.effects.some(isSame) && !added.some(isSame)) {
        added.push({ ruleId, kind, label, isUndone: false, isLast: true, isCovered: false });
      }
    };
    for (const { id, rule } of rules) {
      if (!matches(rule, item, [...seenLabels])) {
        continue;
      }
      for (const action of rule.actions) {
        if ((action.type === 'read' || action.type === 'hide') && !isUsers) {
          add(id, action.type);
        } else if (action.type === 'star' && !isStarredByUser) {
          add(id, 'star');
        } else if (action.type === 'label') {
          action.names.forEach((name) => seenLabels.add(name));
          action.names
            .filter((name) => !ownLabels.has(name))
            .forEach((name) => add(id, 'label', name));
        }
      }
      if (rule.stopAfter) {
        break;
      }
    }
    const before = shown(item);
    for (const { kind, label } of added) {
      item.unread &&= !MARKS.includes(kind);
      item.filtered ||= kind === 'hide';
      item.starred ||= kind === 'star';
      item.labels = [...new Set([...item.labels, ...(kind === 'label' ? [label] : [])])];
    }
    if (shown(item) !== before) {
      this.#change(item);
    }
    item.effects.push(...added);
  }

  /** By a rule or the publisher: who has read it meanwhile with a list has touched it. */
  #change(item: ModelItem): void {
    item.isTouched ||= item.effects.some(({ isCovered }) => isCovered);
  }
}

/** By the user. What rules did before is not theirs any more, also if nothing changes. */
function touch(item: ModelItem, isChange: boolean): void {
  item.isTouched ||= isChange;
  for (const effect of item.effects) {
    effect.isLast = false;
    effect.isCovered ||= !isChange;
  }
}

const shown = ({ unread, starred, filtered, labels }: ModelItem) =>
  JSON.stringify({ unread, starred, filtered, labels: labels.toSorted() });

function matches(rule: ModelRule, item: ModelItem, labels: readonly string[]): boolean {
  const title = item.title.split(' ');
  return (
    (rule.feedId === null || rule.feedId === item.feedId) &&
    rule.words.every((word) => title.includes(word)) &&
    !rule.notWords.some((word) => title.includes(word)) &&
    (rule.label === null || labels.includes(rule.label))
  );
}

const newer = (item: ModelItem, items: readonly ModelItem[]) =>
  items.filter(
    (one) =>
      one.feedId === item.feedId &&
      (one.dateSeconds > item.dateSeconds ||
        (one.dateSeconds === item.dateSeconds && one.id > item.id)),
  );
