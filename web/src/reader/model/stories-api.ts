import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';

/** How the user sees articles that several feeds bring. */
export interface StorySettings {
  /** Whether each story is shown once. */
  readonly once: boolean;
  /** Ids of feeds that are always shown. */
  readonly alwaysShownFeeds: readonly number[];
}

export const storySettings = (): Promise<StorySettings> =>
  requestJson<StorySettings>(`${NEWS_ROOT}/stories`);

/** What is there is marked, or unmarked, shortly afterwards. */
export const showStoriesOnce = (once: boolean): Promise<StorySettings> =>
  change('PUT', '/stories', { once });

export const showAlways = (feedId: number, alwaysShown: boolean): Promise<StorySettings> =>
  change('PUT', `/feeds/${feedId}/stories`, { alwaysShown });
