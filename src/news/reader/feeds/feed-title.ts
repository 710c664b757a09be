import { InvalidFeedTitle } from '../../news.errors.js';

const MAX_TITLE_CHARACTERS = 1000;

/**
 * The user's title of a feed, trimmed.
 *
 * @throws InvalidFeedTitle
 */
export function checkedTitle(given: string): string {
  const title = given.trim();
  if (title === '') {
    throw new InvalidFeedTitle('must not be empty');
  }
  if (title.length > MAX_TITLE_CHARACTERS) {
    throw new InvalidFeedTitle(`has at most ${MAX_TITLE_CHARACTERS} characters`);
  }
  if (title.includes('\0')) {
    throw new InvalidFeedTitle('must not contain a null character');
  }
  return title;
}
