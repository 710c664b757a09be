/** The words of a list that is written as one text. */
export const words = (list: string): string[] => list.trim().split(/\s+/);

/** `mp3=audio/mpeg m4a=audio/mp4`, by the left sides. */
export const table = (list: string): ReadonlyMap<string, string> =>
  new Map(words(list).map((entry) => entry.split('=') as [string, string]));
