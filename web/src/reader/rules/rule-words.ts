import { useI18n } from 'vue-i18n';
import { regionalLocale } from '../../host/regional-locale.js';
import type { RuleAction, RuleDraft, RuleScope } from '../model/rules-api.js';
import { useFeeds } from '../state/feeds.store.js';
import { EVERYTHING } from './rule-drafts.js';

const DAY_HOURS = 24;

/** What a rule does, and where, in words. @param isOfGroup tells what it does to members */
export function useRuleWords(isOfGroup = false) {
  const { t, locale } = useI18n();
  const feeds = useFeeds();
  const list = (names: readonly string[]) =>
    new Intl.ListFormat(regionalLocale(locale.value), { type: 'conjunction' }).format(names);

  function actionWords(action: RuleAction): string {
    switch (action.type) {
      case 'label':
        return t('rules.does.label', { names: list(action.names) });
      case 'notify':
        return t(isOfGroup ? 'rules.does.notifyMembers' : 'rules.does.notify');
      case 'mail':
        return action.at === 'now'
          ? t('rules.does.mailNow')
          : t('rules.does.mailAt', { time: action.at });
      case 'readAfter':
        return action.hours % DAY_HOURS === 0
          ? t('rules.does.readAfterDays', action.hours / DAY_HOURS)
          : t('rules.does.readAfterHours', action.hours);
      case 'newest':
        return t('rules.does.newest', action.count);
      default:
        return t(`rules.does.${action.type}`);
    }
  }

  const namesOf = (feedIds: readonly number[], folderIds: readonly number[]) => [
    ...folderIds.map(
      (folderId) => feeds.nameOf({ of: 'folder', folderId }) ?? t('rules.scope.deleted'),
    ),
    ...feedIds.map((feedId) => feeds.nameOf({ of: 'feed', feedId }) ?? t('rules.scope.deleted')),
  ];

  function scopeWords(scope: RuleScope): string {
    const { everything, feedIds, folderIds, exceptFeedIds, exceptFolderIds } = {
      ...EVERYTHING,
      ...scope,
    };
    const where = everything
      ? t('rules.scope.everything')
      : t('rules.scope.in', { names: list(namesOf(feedIds, folderIds)) });
    const except = namesOf(exceptFeedIds, exceptFolderIds);
    return except.length === 0 ? where : t('rules.scope.inExcept', { where, names: list(except) });
  }

  return {
    actionsWords: ({
      actions,
      stopAfter = false,
    }: Pick<RuleDraft, 'actions'> & Partial<Pick<RuleDraft, 'stopAfter'>>) =>
      list([
        ...actions.map(actionWords),
        ...(stopAfter && !actions.some(({ type }) => type === 'stop')
          ? [t('rules.does.stopAfter')]
          : []),
      ]),
    scopeWords,
  };
}
