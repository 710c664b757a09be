/** Names have at most 250 bytes; leaves room for the number. */
const MAX_BYTES = 240;

/**
 * `letter (2).txt` for `letter.txt`; long names are shortened before the number.
 *
 * @param findNumber finds the lowest number that makes the name free
 */
export async function freeName(
  name: string,
  findNumber: (stem: string, extension: string) => Promise<number>,
): Promise<string> {
  const dot = name.lastIndexOf('.');
  const isExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_BYTES / 2;
  const [whole, extension] = isExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const stem = shortened(whole, MAX_BYTES - Buffer.byteLength(extension));
  return `${stem} (${await findNumber(stem, extension)})${extension}`;
}

function shortened(text: string, maxBytes: number): string {
  const characters = [...text];
  while (Buffer.byteLength(characters.join('')) > maxBytes) {
    characters.pop();
  }
  return characters.join('');
}
