/** The words of a list that is written as one text. */
export const words = (list: string): string[] => list.trim().split(/\s+/);
