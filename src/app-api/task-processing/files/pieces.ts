/** Regroups chunks of any size into pieces of one size; the last one may be smaller. */
export async function* inPieces(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0;) {
      const part = rest.subarray(0, pieceBytes - keptBytes);
      rest = rest.subarray(part.length);
      kept.push(part);
      keptBytes += part.length;
      if (keptBytes === pieceBytes) {
        yield Buffer.concat(kept);
        kept = [];
        keptBytes = 0;
      }
    }
  }
  if (keptBytes > 0) {
    yield Buffer.concat(kept);
  }
}
