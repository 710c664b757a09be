import { InvalidPassword } from '../../platform.errors.js';

const LONGEST_PASSWORD = 1024;

/** Minimum letters besides a common word. */
const FEWEST_OTHER_LETTERS = 4;

/** Shorter names occur in many words. */
const SHORTEST_NAME = 3;

/** Most frequent words of leaked passwords, matched also within digits and symbols. */
const COMMON_WORDS = (
  'password passwort passw welcome willkommen letmein iloveyou changeme administrator admin login ' +
  'master dragon monkey football baseball princess sunshine superman batman trustno whatever ' +
  'starwars computer internet secret geheim default gatefold nextcloud qwerty qwertz'
).split(' ');
const KEY_ROWS = ['qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm', 'yxcvbnm', '1234567890'];

const LOOK_ALIKES = new Map(
  Object.entries({ '@': 'a', '4': 'a', '0': 'o', '1': 'i', '!': 'i', '3': 'e', $: 's', '5': 's' }),
);

/**
 * Rejects weak passwords: short ones, common words, repetitions, keyboard or alphabet sequences,
 * and the user's own name.
 *
 * @param shortest characters; `GATEFOLD_SHORTEST_PASSWORD`
 * @throws InvalidPassword naming the violated rule
 */
export function assertPassword(password: string, userId: string, shortest: number): void {
  if (password.length < shortest) {
    throw new InvalidPassword(`must have at least ${shortest} characters`);
  }
  if (password.length > LONGEST_PASSWORD) {
    throw new InvalidPassword(`must have at most ${LONGEST_PASSWORD} characters`);
  }
  const lower = password.toLowerCase();
  if (isRepetition(lower)) {
    throw new InvalidPassword('must not repeat the same few characters');
  }
  if (isSequence(lower)) {
    throw new InvalidPassword('must not be a row of keys or of the alphabet');
  }
  if (userId.length >= SHORTEST_NAME && isLittleMoreThan([userId.toLowerCase()], lower)) {
    throw new InvalidPassword('must not be little more than the user name');
  }
  const plain = [...lower].map((character) => LOOK_ALIKES.get(character) ?? character).join('');
  if (isLittleMoreThan(COMMON_WORDS, lower) || isLittleMoreThan(COMMON_WORDS, plain)) {
    throw new InvalidPassword('must not be one of those that are guessed first');
  }
}

/** One to four characters, repeated. */
function isRepetition(text: string): boolean {
  return [1, 2, 3, 4].some((length) => {
    const piece = text.slice(0, length);
    return piece.repeat(Math.ceil(text.length / length)).slice(0, text.length) === text;
  });
}

/** Each character is next to the previous one in the alphabet or on the keyboard. */
function isSequence(text: string): boolean {
  const rows = KEY_ROWS.flatMap((row) => [row, [...row].reverse().join('')]);
  const follows = (one: string, next: string) =>
    Math.abs(next.charCodeAt(0) - one.charCodeAt(0)) === 1 ||
    rows.some((row) => row.includes(one + next));
  const characters = [...text];
  const breaks = characters.slice(1).filter((next, at) => !follows(characters[at] ?? '', next));
  // One break joins two rows, such as "qwertz12345".
  return breaks.length <= 1;
}

function isLittleMoreThan(words: readonly string[], text: string): boolean {
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), text);
  return rest !== text && rest.replace(/[^\p{L}]/gu, '').length < FEWEST_OTHER_LETTERS;
}
