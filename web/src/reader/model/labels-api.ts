import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';

/** A name that the user gives to articles. */
export interface Label {
  readonly id: number;
  readonly name: string;
  readonly unreadCount: number;
}

/** Names of labels that items get and lose. */
export interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** A removed label, for undo. */
export interface RemovedLabel {
  readonly name: string;
  readonly itemIds: readonly number[];
}

/** All labels in the order of their names. */
export async function listLabels(): Promise<readonly Label[]> {
  const path = `${NEWS_ROOT}/labels`;
  return (await requestJson<{ labels: Label[] }>(path, { keepCopy: true })).labels;
}

/** If another label has the name, its items get that one. */
export const renameLabel = (id: number, name: string): Promise<void> =>
  change('PUT', `/labels/${id}`, { name });

export const removeLabel = (id: number): Promise<RemovedLabel> =>
  change<RemovedLabel>('DELETE', `/labels/${id}`);

/** Labels that do not exist are created. */
export const changeLabelsOf = (
  itemIds: readonly number[],
  { add, remove }: LabelChange,
): Promise<void> => change('POST', '/items/labels/multiple', { itemIds, add, remove });
