import { html } from '../common/http/html.js';

/** Who has added an entry to a board, when and why. */
export interface BoardAddition {
  /** Null: the account is gone. */
  readonly userId: string | null;
  readonly name: string;
  readonly note: string;
  readonly addedSeconds: number;
}

/** Of the article of an entry; the id follows. */
const GUID = 'board-entry-';

export const guidOfEntry = (entryId: number) => `${GUID}${entryId}`;

export const entryOfGuid = (guid: string) => Number(guid.slice(GUID.length));

/** `given_to` of the sources of boards, which belong to no user: their ids have no brackets. */
export const GIVEN_TO_BOARD = '(board)';

const END = '</blockquote>';

/** The text of an entry: who has added it, and then what it says. */
export function boardBody(additions: readonly BoardAddition[], content: string): string {
  const lines = additions.map(({ name, note, addedSeconds }) => {
    const day = new Date(addedSeconds * 1000).toISOString().slice(0, 10);
    const text = note === '' ? '' : `: ${note}`;
    return html`<p>${name}, ${day}${text}</p>`.markup;
  });
  return `<blockquote>${lines.join('')}${END}${content}`;
}

/** What an entry says, without who has added it. */
export function withoutAdditions(body: string): string {
  const end = body.indexOf(END);
  return end < 0 ? body : body.slice(end + END.length);
}
