import { describe, expect, it } from '@jest/globals';
import { joinStories, type FoundMatch, type StoryMember } from './join-stories.js';

const match = (one: number, other: number, score = 1): FoundMatch => ({
  how: 'text',
  score,
  articles: [
    { articleId: one, sourceId: one },
    { articleId: other, sourceId: other },
  ],
});

/** The stories after these matches, found one after the other. */
function storiesAfter(...found: readonly (readonly FoundMatch[])[]): Record<number, number> {
  const members = new Map<number, StoryMember>();
  for (const matches of found) {
    for (const member of joinStories([...members.values()], matches)) {
      members.set(member.articleId, member);
    }
  }
  return Object.fromEntries([...members].map(([id, { storyId }]) => [id, storyId]));
}

describe('articles that match', () => {
  it('are a story with the smallest id, in whatever order and how often matches are found', () => {
    const story = { 2: 2, 3: 2, 5: 2, 7: 2 };

    expect(storiesAfter([match(3, 5), match(7, 2), match(5, 7)])).toEqual(story);
    expect(storiesAfter([match(7, 5)], [match(5, 7)], [match(2, 7)], [match(3, 5)])).toEqual(story);
    expect(storiesAfter([match(3, 5)], [match(2, 7)], [match(7, 3)], [match(7, 3)])).toEqual(story);
  });

  it('change nothing that is known', () => {
    const known = joinStories([], [match(1, 2)]);

    expect(joinStories(known, [match(2, 1)])).toEqual([]);
  });

  it('are stories of at most fifty, the best matches first', () => {
    const chain = Array.from({ length: 49 }, (_, n) => match(n + 1, n + 2));

    const stories = storiesAfter([match(50, 51, 0.5), ...chain]);

    expect(Object.values(stories)).toEqual(Array.from({ length: 50 }, () => 1));
  });
});
