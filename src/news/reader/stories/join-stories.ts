import type { StoryMatch } from '../../story/same-story.js';

/** Articles of a story; what is more stands alone. */
const MOST_ARTICLES = 50;

export interface StoryMember extends StoryMatch {
  readonly articleId: number;
  readonly sourceId: number;
  readonly storyId: number;
}

type Article = Pick<StoryMember, 'articleId' | 'sourceId'>;

/** Two articles of one story. */
export interface FoundMatch extends StoryMatch {
  readonly articles: readonly [Article, Article];
}

/**
 * Joins the stories of articles that match; the best matches first. Whatever order matches are found in, the
 * stories become the same, unless one grows beyond its bound.
 *
 * @param known all articles of the stories of these articles
 * @returns the members that are new or have another story
 */
export function joinStories(
  known: readonly StoryMember[],
  matches: readonly FoundMatch[],
): StoryMember[] {
  const members = new Map(known.map((member) => [member.articleId, member]));
  const groups = new Map<number, Set<number>>();
  const storyOf = new Map<number, Set<number>>();
  const put = (articleId: number, story: Set<number>) => {
    story.add(articleId);
    storyOf.set(articleId, story);
  };
  for (const { articleId, storyId } of known) {
    const story = groups.get(storyId) ?? new Set();
    groups.set(storyId, story);
    put(articleId, story);
  }
  for (const { articles, how, score } of matches.toSorted(bestFirst)) {
    const [one, other] = articles.map(({ articleId, sourceId }) => {
      const story = storyOf.get(articleId) ?? new Set([articleId]);
      return { articleId, sourceId, story };
    });
    if (one === undefined || other === undefined || one.story === other.story) {
      continue;
    }
    if (one.story.size + other.story.size > MOST_ARTICLES) {
      continue;
    }
    for (const { articleId, sourceId } of [one, other]) {
      if (!members.has(articleId)) {
        members.set(articleId, { articleId, sourceId, storyId: 0, how, score });
      }
    }
    put(one.articleId, one.story);
    [...other.story].forEach((articleId) => put(articleId, one.story));
  }
  const ids = new Map([...new Set(storyOf.values())].map((story) => [story, Math.min(...story)]));
  return [...members.values()].flatMap((member) => {
    const story = storyOf.get(member.articleId);
    const storyId = (story && ids.get(story)) ?? member.storyId;
    return storyId === member.storyId ? [] : [{ ...member, storyId }];
  });
}

const bestFirst = (a: FoundMatch, b: FoundMatch) =>
  b.score - a.score ||
  a.articles[0].articleId - b.articles[0].articleId ||
  a.articles[1].articleId - b.articles[1].articleId;
