import { PayloadTooLargeException } from '@nestjs/common';

/** Decoding this many characters takes a millisecond or two. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * The fields of a percent-encoded query or form, `a=1&b=2`, in pieces between which other requests can run.
 *
 * @throws PayloadTooLargeException for more than `most` fields
 */
export function* piecesOfForm(text: string, most: number): Generator<URLSearchParams> {
  assertFew(text, most);
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('&', at + PIECE_CHARACTERS);
    const end = next === -1 ? text.length : next;
    // A first "?" is dropped, but only at the beginning of the form.
    yield new URLSearchParams(`${at === 0 ? '' : '&'}${text.slice(at, end)}`);
    at = end + 1;
  }
}

function assertFew(text: string, most: number): void {
  let separators = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    separators += 1;
  }
  if (separators >= most) {
    throw new PayloadTooLargeException(`The form has more than ${most} fields.`);
  }
}
