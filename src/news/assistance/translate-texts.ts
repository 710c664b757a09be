import { AssistanceFailed } from './assistance.errors.js';

/** Per call: enough context for the translator, little enough to be fast. */
const BATCH_CHARACTERS = 3000;
const BATCH_LINES = 40;

/** A translator that never preserves lines would be called for each text separately. */
const MOST_CALLS = 150;

/**
 * Translates texts of one line each in batches, a text per line, since translators nearly always
 * preserve line ends. If the number of lines differs afterwards, the lines cannot be matched and the
 * batch is translated again in halves.
 *
 * @param texts without line ends, none of them empty
 * @param translate one text, which may have several lines
 * @throws AssistanceFailed for an empty translation, or after too many calls
 */
export async function translateTexts(
  texts: readonly string[],
  translate: (text: string) => Promise<string>,
): Promise<string[]> {
  let calls = 0;
  const translateBatch = async (batch: readonly string[]): Promise<string[]> => {
    calls += 1;
    if (calls > MOST_CALLS) {
      throw new AssistanceFailed(
        'The translation was given up: the provider does not keep the lines of a text apart.',
      );
    }
    const lines = linesOf(await translate(batch.join('\n')));
    if (lines.length === batch.length) {
      return lines;
    }
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      const first = await translateBatch(batch.slice(0, middle));
      return [...first, ...(await translateBatch(batch.slice(middle)))];
    }
    if (lines.length === 0) {
      throw new AssistanceFailed('The provider sent an empty translation.');
    }
    return [lines.join(' ')];
  };

  const translated: string[] = [];
  for (const batch of batchesOf(texts)) {
    translated.push(...(await translateBatch(batch)));
  }
  return translated;
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const batch = batches.at(-1);
    characters += text.length;
    if (batch === undefined || batch.length >= BATCH_LINES || characters > BATCH_CHARACTERS) {
      batches.push([text]);
      characters = text.length;
    } else {
      batch.push(text);
    }
  }
  return batches;
}
