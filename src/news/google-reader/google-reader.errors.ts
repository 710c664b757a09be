import { notFound } from '../../common/errors/domain-error.js';
import { cutAt } from '../feed-parser/html/plain-text.js';

const LONGEST_SHOWN = 200;

/** None of the user's feeds, folders and labels. */
export class UnknownStream extends notFound(
  (stream: string) => `There is nothing at "${cutAt(stream, LONGEST_SHOWN)}".`,
) {}
