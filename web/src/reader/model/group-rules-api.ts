import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';
import type { RuleAction, RuleDraft } from './rules-api.js';

/** A rule for the feeds of a group's folder. */
export interface GroupRule extends Pick<RuleDraft, 'name' | 'query' | 'actions'> {
  readonly id: number;
}

const pathOf = (folderId: number) => `/group-folders/${folderId}/rules`;

/** In their order. */
export async function listGroupRules(folderId: number): Promise<readonly GroupRule[]> {
  const { rules } = await requestJson<{ rules: GroupRule[] }>(NEWS_ROOT + pathOf(folderId));
  return rules.map((rule) => ({ ...rule, actions: rule.actions.map(asOwn) }));
}

/** Creates a rule, the last one, or replaces one. */
export async function saveGroupRule(
  folderId: number,
  id: number | null,
  { name, query, actions }: RuleDraft,
): Promise<Pick<GroupRule, 'id'>> {
  const rule = { name, query, actions };
  if (id === null) {
    return change('POST', pathOf(folderId), rule);
  }
  await change('PUT', `${pathOf(folderId)}/${id}`, rule);
  return { id };
}

export const removeGroupRule = (folderId: number, id: number): Promise<void> =>
  change('DELETE', `${pathOf(folderId)}/${id}`);

/** Members are told by all their channels. */
const asOwn = (action: RuleAction): RuleAction =>
  action.type === 'notify' ? { type: 'notify', urgent: false, channelIds: null } : action;
