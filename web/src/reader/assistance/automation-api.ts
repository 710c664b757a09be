import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from '../news-request.js';

/** What apps do with new articles; null is "as the folder", and "no" for a folder. */
export interface AutomaticChoice {
  /** The language that titles are translated to; empty: they are not. */
  readonly titlesTo: string | null;
  readonly summarise: boolean | null;
}

/** What providers can do now, what the user chose, and the budget of the day. */
export interface Automation {
  readonly languages: readonly { readonly code: string; readonly label: string }[];
  readonly summarises: boolean;
  readonly usedToday: number;
  readonly mostPerDay: number;
  readonly feeds: readonly (AutomaticChoice & { readonly feedId: number })[];
  readonly folders: readonly (AutomaticChoice & { readonly folderId: number })[];
}

export function findAutomation(): Promise<Automation> {
  return requestJson<Automation>(`${NEWS_ROOT}/automation`);
}

export async function saveAutomation(
  of: 'feed' | 'folder',
  id: number,
  choice: AutomaticChoice,
): Promise<void> {
  await change('POST', `/${of}s/${id}/automation`, choice);
}
